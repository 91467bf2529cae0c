"""The page for the browser: served to this machine alone, with nothing fetched from elsewhere."""
