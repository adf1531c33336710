"""Which of a kernel's configurations is fastest: expected without a GPU, timed on one, pruned for autotuning."""
