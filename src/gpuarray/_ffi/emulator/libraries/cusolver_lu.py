"""The emulated functions of cuSOLVER for LU factorisations and triangular matrices."""
