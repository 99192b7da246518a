"""Devices of this process, and time lines of runs."""
