"""NumPy on NVIDIA GPUs, in pure Python."""
from gpuarray._ndarray import ndarray
