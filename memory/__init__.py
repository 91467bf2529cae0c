"""Everything remembered: what was said (dialogue) and what was read (knowledge)."""
