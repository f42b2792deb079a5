"""The C functions of CUDA's libraries in Python, one module a library, behind the same tables."""
