"""Entities and their relations out of a text, by rules or by a spaCy pipeline; names of one thing joined."""
