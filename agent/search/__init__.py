"""The evidence of a turn: which tools are searched with what, by the policy and by a language model."""
