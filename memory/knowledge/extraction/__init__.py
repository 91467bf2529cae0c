"""Entities and relations of a text: by rules, by a spaCy pipeline, or by a language model."""
