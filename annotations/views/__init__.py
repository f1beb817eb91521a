"""What annotators open: the way in, the rating page, its endpoints and videos, the end."""
