"""`clew chat`: a conversation in the terminal, or line by line through a pipe."""
