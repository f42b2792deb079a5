"""Kernels: a folder for each family, the generator of their source, and its compiler.

A family's folder has all that belongs to it: ``spec.py``, everything that its source depends on,
and its rendering (pure: no device, no array); ``launch.py``, from layouts to launches;
``rules.py``, NumPy's rules, where the family has some of its own; ``variants.py``, the choice among
its templates; ``user.py``, kernels of the user's own in them; and its device code, ``*.cuh``.
Submodules are imported when they are first used: a process that imports the package need not have
a kernel to make.
"""
