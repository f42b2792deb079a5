"""The emulated functions of cuBLAS for triangular systems and batches of factorisations."""
