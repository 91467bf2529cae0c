"""Libraries on a cluster, over a real Elasticsearch."""
