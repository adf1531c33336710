"""One file per output format; each renders a Report to text."""
