"""Calls and connection reports in, findings out: what clients do wrong, why, and what to change."""
