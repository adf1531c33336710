"""The answer of a report: what is wrong over all kernels, worst first, with what it costs and what to write."""
