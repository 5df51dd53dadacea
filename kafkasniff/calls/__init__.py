"""Calls: from byte streams to frames, and from frames to requests paired with their responses."""
