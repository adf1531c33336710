"""What a Triton Gluon kernel costs, at your Python line, without a GPU."""
