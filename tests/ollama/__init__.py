"""A double of the Ollama server on a real socket, and the models that it plays."""
