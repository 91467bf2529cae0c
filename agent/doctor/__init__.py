"""Checks of the installation, the library and the servers that Clew uses."""
