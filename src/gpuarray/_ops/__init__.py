"""Functions of the public namespace, one file for each page of NumPy's reference."""
