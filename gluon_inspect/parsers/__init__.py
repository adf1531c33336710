"""Text in, model out. Siblings never import each other."""
