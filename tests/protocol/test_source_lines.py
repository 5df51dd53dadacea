from kafkasniff.protocol.source_lines import SourceLines


def test_blocks_and_names() -> None:
    lines = SourceLines(1)
    first, second = lines.name("v"), lines.name("v")
    assert first != second
    with lines.block("if x:"):
        lines.line("y = 1")
    lines.line("z = 2")
    assert lines.lines == ["    if x:", "        y = 1", "    z = 2"]
