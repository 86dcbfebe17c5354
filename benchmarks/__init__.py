"""Measurements of what this project stands on; run them as `python -m benchmarks.NAME`."""
