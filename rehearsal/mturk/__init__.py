"""A marketplace on one's own machine that speaks Mechanical Turk's wire protocol.

What a launch would do can be seen here first, for nothing: requesters come with an unmodified
boto3, workers with a browser. The rules are in `marketplace` (pure: time is passed in), the wire
in `wire`, `limits` and `signature`, and `server` puts both behind a port.
"""
