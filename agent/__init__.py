"""The state machine: settings, models, state, nodes, graph; replay and evaluation."""
