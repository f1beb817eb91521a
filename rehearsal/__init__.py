"""What only pretends: demo campaigns and clips, simulated people, marketplaces on this machine.

An optional extra. It may import every app; no app imports it, and the platform runs without it.
"""
