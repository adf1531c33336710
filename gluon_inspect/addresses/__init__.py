"""What the IR says about addresses: contiguity, exact values, requests, sectors, wavefronts."""
