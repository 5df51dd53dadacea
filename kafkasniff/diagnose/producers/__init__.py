"""Rules about producers: how they send, what is refused, sequence numbers, transactions."""
