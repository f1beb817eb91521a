"""One statistic of a ranking in each file, found by `analysis.results.registry`."""
