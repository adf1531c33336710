"""Blackwell's tensor memory: who holds which columns, and what moves in and out of it."""
