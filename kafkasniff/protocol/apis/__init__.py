"""One module per API: its request and response over all versions, as data."""
