"""Kafka's error codes as data, from the class `Errors` of Kafka.

`codes` has number, name and whether a client may retry; `numbers` those that code treats apart, and `by_name` finds
others by their names; `notes` says what each means and what usually causes it; `fixes` what to do when it comes more
often than in a healthy client's life.
"""
