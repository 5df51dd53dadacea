"""Workloads and measurements; each module with a `main` is a command of its own."""
