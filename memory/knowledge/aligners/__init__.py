"""Aligners score the partitions of the graph for a question (seed 004, section 3).

A turn imports `scoring`; `training` trains them.
"""
