"""One format of files in each file, found by `analysis.presenting.downloads`."""
