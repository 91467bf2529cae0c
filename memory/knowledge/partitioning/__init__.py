"""C-RAG, offline (seed 004, sections 1 and 2): the graph of the nodes, and its partitions."""
