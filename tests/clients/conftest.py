"""What the libraries read when they are imported."""

import os

# SciPy reads it once. Where SciPy was imported before, its tests are skipped.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
