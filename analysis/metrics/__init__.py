"""Automatic metrics: captions, references and videos in, one number per caption and metric out."""
