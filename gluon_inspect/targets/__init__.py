"""GPU architectures as constants, each number with its source."""
