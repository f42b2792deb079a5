"""A fuzzer: random calls of the public API, compared with NumPy's.

``python -m tests.fuzz`` runs it. It uses nothing but the public API of gpuarray, so that it runs
against any version of the library.
"""
