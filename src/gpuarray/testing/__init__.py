"""Tests of programs with arrays."""
