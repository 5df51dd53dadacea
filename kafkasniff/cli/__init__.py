"""The command line.

`main` is the entry point: it turns exceptions of the layers below into a message and an exit status
(`exit_status`). `app` declares the commands, and imports the module of the one that was asked for.

- `commands/`: one module for each command: its options, and which reading or question it starts.
- `options/`: options that several commands share, what they accept, and how help and completion show them.
- `showing/`: what commands share that print calls, findings and answers.
- `processes/`: several processes for one capture (`--jobs`), and commands that go on until they are stopped.
- `terminal/`: standard output and standard error, the pager, the line of progress, the prompt.
"""
