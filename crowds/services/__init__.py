"""Launching, paying, taking down what crowds report: every write about who is asked and paid."""
