"""MLIR: structure by a tokenizer, types and attributes by lark, meaning in one table per dialect."""
