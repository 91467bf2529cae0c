"""What was read: loading, chunking, the library."""
