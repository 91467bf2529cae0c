"""ClueRAG (seed 000): the clues of a question, a beam search through the triples, re-ranking, and an answer."""
