"""Links and shell blocks of all pages: links lead somewhere, and the program takes every `kafkasniff` line."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import typer

from kafkasniff.cli.app import command_line
from kafkasniff.cli.options.arguments import with_optional_values
from tests.conftest import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), ROOT / "captures" / "README.md"]
BLOCK = re.compile(r"^( *)```(sh|console)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)

NOT_RUN = {
    "CONTRIBUTING.md": "it makes an environment",
    "README.md": ".ci/run runs both sh blocks, test_readme the first console block; the second has no captures",
    "docs/browse.md": "it has no capture",
    "docs/capture.md": "it needs interfaces, containers or a cluster; the page says what was tried",
    "docs/compatibility.md": "it has definitions that do not exist yet",
    "docs/development.md": "it compiles, or needs Maven",
    "docs/filters.md": "it has no capture",
    "docs/index.md": "it installs",
    "docs/install.md": "it installs; the page says what was tried",
    "docs/metrics.md": "it needs interfaces and collectors; tests/cli/test_live_metrics.py runs the like",
    "docs/performance.md": "it takes minutes",
    "docs/pipeline.md": "it needs a cluster, or ends with Ctrl-C; tests/pipeline runs the like",
    "docs/questions.md": "it has no capture; tests/questions/test_questions_docs.py runs its SQL",
    "docs/tasks.md": "tools/make_docs.py --check runs its console blocks; the others need interfaces",
}
"""Why the blocks of a page are not run from here. Their lines are parsed, as far as they are commands of kafkasniff."""

BLOCKS = [
    pytest.param(path, match[2], match[3], id=f"{path.name}-{number}")
    for path in PAGES
    for number, match in enumerate(BLOCK.finditer(path.read_text()))
]


def lines_of(kind: str, block: str) -> list[str]:
    """Give the command lines of a block; of a console those behind `$`, without what they print."""
    lines = block.replace("\\\n", " ").splitlines()
    if kind == "sh":
        return [line.strip() for line in lines]
    return [line.strip()[2:] for line in lines if line.strip().startswith("$ ")]


def commands_of(line: str) -> list[list[str]]:
    """Give the arguments of each `kafkasniff` on a command line."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    found: list[list[str]] = []
    current: list[str] | None = None
    for token in lexer:
        if set(token) <= set("|&;<>()"):
            current = None
        elif current is not None:
            current.append(token)
        elif token == "kafkasniff" or token.endswith("/kafkasniff"):
            current = []
            found.append(current)
    # `docker build --tag kafkasniff .` names it too.
    return [found_one for found_one in found if found_one and found_one[0] not in (".", "&&")]


@pytest.mark.parametrize(("path", "kind", "block"), BLOCKS)
def test_shell_blocks_are_command_lines_that_exist(path: Path, kind: str, block: str) -> None:
    assert str(path.relative_to(ROOT)) in NOT_RUN, (
        "say in NOT_RUN what runs the blocks of this page, or why nothing does"
    )
    lines = lines_of(kind, block)
    if kind == "sh":
        subprocess.run(["bash", "-n"], input="\n".join(lines), text=True, check=True, timeout=60)
    group = typer.main.get_command(command_line())
    for line in lines:
        for arguments in commands_of(line):
            name, *rest = with_optional_values(arguments)
            if name.startswith("-"):
                continue
            command = group.get_command(None, name)  # type: ignore[attr-defined]
            assert command is not None, line
            if "--definitions" in rest:  # which is read as the line is parsed
                at = rest.index("--definitions")
                del rest[at : at + 2]
            command.make_context(name, rest)


def slug(heading: str) -> str:
    """Give the anchor of a heading as MkDocs and GitHub make it."""
    return re.sub(r"[ ]", "-", re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
        page = (path.parent / target).resolve() if target else path
        assert page.exists(), f"{path.name}: {target}"
        if anchor and page.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, f"{path.name}: {target}#{anchor}"


WRITTEN = {"cli.md", "errors.md", "options.md", "rules.md"}
"""Pages that tools write, of texts that are shown elsewhere too."""

PLAINER = {
    r"anew": "again, new",
    r"for want of": "because there is no",
    r"of old": "old",
    r"but for|save for": "except for",
    r"what there is of": "the part that is there",
    r"stands? (beside|behind|before|above|in front|together)": "is, comes",
    r"gone on with": "used again",
    r"should it|were it|be it": "if it",
    r"mend(s|ed)?": "fix",
    r"upon": "on",
    r"shall": "must, will",
    r"thus|hence|thereby|therein|thereof|whence": "so, in it",
    r"whilst|amongst|albeit|lest|till": "while, among, although, so that not, until",
    r"as it were|so to speak|withal": "",
    r"utili[sz]e": "use",
    r"leverag(e|es|ing)": "use",
    r"in order to": "to",
    r"simply|obviously": "",
}
"""The vocabulary of docs: words that nobody says today, or that say nothing, and what to write in their place."""


@pytest.mark.parametrize("path", [path for path in PAGES if path.name not in WRITTEN], ids=lambda path: path.name)
def test_words_are_plain(path: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(), flags=re.DOTALL)
    found = {match[0]: use for word, use in PLAINER.items() for match in re.finditer(rf"(?i)\b(?:{word})\b", text)}
    assert found == {}
