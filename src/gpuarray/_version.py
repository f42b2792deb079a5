"""The version of the package: read by the build and by ``gpuarray.__version__``."""

__version__ = "0.1.0.dev0"
