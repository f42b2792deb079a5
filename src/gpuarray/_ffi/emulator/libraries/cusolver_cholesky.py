"""The emulated functions of cuSOLVER for Cholesky factorisations."""
