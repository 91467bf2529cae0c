"""A file for each command; `clew.ui.cli` lists them."""
