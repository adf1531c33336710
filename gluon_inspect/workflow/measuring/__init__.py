"""Running what was recorded on a real GPU: the child that times, and what its answers become."""
