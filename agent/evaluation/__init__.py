"""Figures of tools and of the agent on data sets of questions with judgements."""
