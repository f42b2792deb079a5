"""The commands of ``python -m gpuarray``, one module each."""
