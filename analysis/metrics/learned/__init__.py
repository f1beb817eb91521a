"""What metrics trained on people's ratings are scored with; `analysis.learning` trains them."""
