"""Small scripts that call what libraries offer; `python -m benchmarks.recorded` says what was recorded of them."""
