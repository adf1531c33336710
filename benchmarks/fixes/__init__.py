"""Kernels that `gluon-inspect fix` mends, timed before and after on a card (benchmarks/device/fixes.py)."""
