"""`clew index`: `run` reads what changed and takes the `steps`, each of which writes a part of a new generation."""
