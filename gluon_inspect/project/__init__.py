"""What a repository keeps about its kernels: configuration, baseline, budgets, gate, suppressions, comparisons."""
