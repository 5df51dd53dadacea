"""Kafka's error codes as data, from the class `Errors` of Kafka.

`codes` has number, name and whether a client may retry; `numbers` has those that code treats apart; `notes` what each
means and what usually causes it; `fixes` what to do when it comes more often than in a healthy client's life.
"""
