"""What a launch moves: requests, sectors, lines, wavefronts and bytes of every access, counted and recorded."""
