"""The language server: what a line costs and its fix, beside a type checker. Pure functions, and a thin server."""
