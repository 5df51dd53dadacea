"""Commands that need no capture: they explain rules, APIs, errors and options."""
