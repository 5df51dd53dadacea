"""Commands that show calls."""
