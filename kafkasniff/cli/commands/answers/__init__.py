"""Commands that answer questions about captures."""
