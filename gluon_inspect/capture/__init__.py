"""Run scripts and compile kernels without a GPU; read files. The only place besides measure with triton or torch."""
