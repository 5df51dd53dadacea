"""TLS inside TCP streams: what its handshake says in the clear, and its data where the secrets are known."""
