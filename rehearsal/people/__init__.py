"""Simulated annotators: how they answer (`personas`), and the ways in which they work."""
