"""Metrics against people (PROTOCOL §7): files in, one result out. Pure.

`reading` and `trecvid` read, `joining` puts human and metric rows beside each other,
`alignment` checks that they belong together, `pipeline` computes, `report` tells.
"""
