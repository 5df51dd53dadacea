"""The tokens of SASL logins: who logs in, by which mechanism, at which step."""
