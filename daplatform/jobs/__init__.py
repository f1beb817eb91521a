"""Work that takes longer than a page: rows that workers claim, one mechanism for every kind.

A row is the truth and the queue only wakes a worker up. A worker claims a row, commits, computes,
and records the outcome; no transaction is held across the computation. A claim whose worker fell
silent can be taken by another. `<app>.jobs` lists the kinds of an app.
"""
