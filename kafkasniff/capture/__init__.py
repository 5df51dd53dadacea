"""Captures: from files, standard input or an interface to batches of packets."""
