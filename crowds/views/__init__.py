"""The way in from a crowd, and the organiser's pages about it: launching, reviewing, paying."""
