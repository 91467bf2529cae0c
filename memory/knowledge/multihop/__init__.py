"""Multi-hop retrieval without a language model: a walk of two steps from passages over the entities that they share."""
