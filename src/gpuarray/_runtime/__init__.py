"""Devices, streams, memory and launches."""
