"""Everything that changes annotators, assignments and ratings."""
