"""Language models: the writers behind the port, their servers, and what is known of each model."""
