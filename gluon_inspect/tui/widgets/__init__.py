"""One widget a file, each over the frozen report."""
