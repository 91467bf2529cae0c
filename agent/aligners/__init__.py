"""`clew align`: aligners trained and measured (seed 004, sections 3.3 to 3.5). No turn imports this."""
