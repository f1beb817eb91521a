"""One module per family of metrics. A module that defines ``FAMILIES`` is found by itself."""
