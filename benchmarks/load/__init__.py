"""`python -m benchmarks.load`: the site as deploy/ runs it, with hundreds of people at once."""
