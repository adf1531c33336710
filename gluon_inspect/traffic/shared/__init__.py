"""Shared memory: from a register layout and a memory layout to instructions, bank conflicts and wavefronts."""
