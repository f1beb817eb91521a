"""Reading annotators, assignments and ratings."""
