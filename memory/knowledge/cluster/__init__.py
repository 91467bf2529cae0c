"""A library on an Elasticsearch cluster: it is searched and read like one in a folder, but all of it is in one
index."""
