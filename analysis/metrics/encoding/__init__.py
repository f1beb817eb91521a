"""Frames and texts as vectors: decoding, models, and the store of what is embedded."""
