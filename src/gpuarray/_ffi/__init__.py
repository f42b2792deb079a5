"""The C boundary: the only room that uses ctypes, and the only one that knows C's names.

Importing it opens nothing: a library is opened when one of its functions is first used.
"""
