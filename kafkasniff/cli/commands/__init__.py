"""The commands: one module each, named as the command, in a folder of those that are alike.

A module's function with the command's name is what typer calls: its signature declares the options, its docstring is
the help. It builds a reading (`kafkasniff.reading`) or a question (`kafkasniff.questions`) from them, and gives that
to `kafkasniff.cli.showing` or to a printer of `kafkasniff.render`. It does no work of its own on packets or calls.
"""
