"""The version, read by the build and by ``gpuarray.__version__``, and the name on an index."""

__version__ = "0.1.0.dev0"

#: What pip installs: on PyPI, the name of the import belongs to another project.
DISTRIBUTION = "gpuarray-cuda"
