"""Rendering: calls as JSON lines or terminal text."""
