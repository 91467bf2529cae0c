"""The answer of a turn, from numbered passages."""
