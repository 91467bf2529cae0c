"""Aligners: from a question to the partitions of the graph that may hold its answer (seed 004, section 3)."""
