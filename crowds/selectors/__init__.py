"""Reading launches, submissions, money and the outbox."""
