"""A real language model for tests: small, on this machine, behind a real server."""
