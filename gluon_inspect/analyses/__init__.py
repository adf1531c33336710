"""One analysis a file, found by walking this package."""
