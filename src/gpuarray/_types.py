"""The types that public signatures name: type checkers read the stub `_types.pyi` in this place.

They name the array class, which lies above all that uses them, so they cannot be here.
"""
