"""Composing HITs: PROTOCOL §2, as a function of a campaign's captions and one random generator."""
