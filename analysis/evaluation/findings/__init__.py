"""One statistic of metrics against people in each file, found by `analysis.evaluation.registry`."""
