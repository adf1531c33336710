"""The recording process: everything here runs in a child, may import torch and Triton, and writes a journal."""
