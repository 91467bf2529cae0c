"""The retrieval methods, a file each, behind one contract."""
