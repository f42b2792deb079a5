"""CUDA's libraries for mathematics: their handles, and calls of their functions as plans."""
