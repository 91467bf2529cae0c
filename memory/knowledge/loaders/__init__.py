"""Loaders: each reads a kind of file. `registry` lists them, `source` has their contract."""
