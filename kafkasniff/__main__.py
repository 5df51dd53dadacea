"""`python -m kafkasniff`."""

from kafkasniff.cli.main import main

main()
