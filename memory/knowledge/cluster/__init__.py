"""A library on an Elasticsearch cluster: the same questions as of the embedded store, asked of one index."""
