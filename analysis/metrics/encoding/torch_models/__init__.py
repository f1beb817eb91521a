"""Models loaded into memory: the only code of the platform that imports torch."""
