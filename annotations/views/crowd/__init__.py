"""The organiser's pages about a campaign's crowd: launching, watching, reviewing, paying."""
