"""Panels: where they are on a page and in which order they are read."""
