"""Communities of entities (seed 001, SEMRAG): the graph, its hierarchical clustering, a report for each community."""
