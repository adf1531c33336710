"""The terminal interface: one widget a file over the frozen Report."""
