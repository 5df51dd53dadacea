"""Rules about how consumers fetch and commit."""
