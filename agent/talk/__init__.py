"""Talk: what of a turn is no question about the documents, and what is said to it."""
