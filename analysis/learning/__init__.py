"""Metrics that learn from people's ratings: data sets, splits, training, and what it leaves behind.

Modules that import torch say so in their first lines and are imported late, by those who train.
"""
