"""Answers that a language model writes from numbered passages, and what keeps them to these."""
