"""The commands; `clew.ui.cli` lists them."""
