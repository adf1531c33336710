"""Shared memory of NVIDIA warps: banks, asynchronous copies, matrix units, what the assembler moves."""
