"""The gist of a call, by API."""
