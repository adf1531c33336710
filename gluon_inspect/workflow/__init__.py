"""Many kernels, many targets: jobs, cache, gate, baseline, diff."""
