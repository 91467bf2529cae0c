"""Aligners score the partitions of the graph for a question (seed 004, section 3).

A turn imports `open_capsule`, `saved`, `scoring` and `partition_words`; the rest trains them.
"""
