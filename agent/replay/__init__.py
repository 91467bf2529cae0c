"""Conversations asked anew from a script, written turn by turn and checked."""
