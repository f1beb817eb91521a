"""What becomes of the agreement when captions, references or quality change (PROTOCOL §7)."""
