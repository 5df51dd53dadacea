"""TCP: from packets to per-connection, per-direction byte streams with honest gaps."""
