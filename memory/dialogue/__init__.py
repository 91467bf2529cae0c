"""What was said: threads, clusters, MMR, rewriting."""
