"""Secrets in decoded messages: where they stand, and how they are replaced by `"***"`.

`messages` knows the fields of messages that are secret (SASL tokens, HMACs of delegation tokens, SCRAM credentials);
`configs` the configs that are secret by their names, and secrets inside the values of others.
"""
