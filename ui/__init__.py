"""The three interfaces: parse, call, show."""
