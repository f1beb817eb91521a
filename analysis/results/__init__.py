"""From ratings to a ranking: the pipeline, how far to trust it, the folder of files. Pure."""
