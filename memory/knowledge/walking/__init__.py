"""C-RAG's walk (seed 004, section 4): think, stitch, land, walk, observe."""
