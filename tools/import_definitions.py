"""Write the definitions under kafkasniff/protocol from fact files or from Kafka's own jars.

    python tools/import_definitions.py FACTS                    # a folder of fact files
    python tools/import_definitions.py FACTS kafka-*-4.5.0.jar  # and a newer release on top of them
    python tools/import_definitions.py --check FACTS            # fail when the definitions are not current
    python tools/import_definitions.py --update kafka-*-4.5.0.jar   # a newer release on top of what this tree has

Sources are read oldest first. A version that several sources define is taken from the last one; versions that a newer
release dropped stay as they were. Jars hold no error codes: those come from a folder's `errors.json`, and stand as they
are when only jars are given.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from definition_text import module_texts

from kafkasniff.protocol.api_releases import API_RELEASES
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.definitions.loading import OverKnown
from kafkasniff.protocol.definitions.merging import DefinitionError
from kafkasniff.protocol.definitions.sources import Definitions, read_sources
from kafkasniff.protocol.message_table import MESSAGES

PROTOCOL = Path(__file__).resolve().parent.parent / "kafkasniff" / "protocol"
GENERATED_FOLDERS = ("apis", "messages")


def format_texts(texts: dict[str, str]) -> dict[str, str]:
    """Give `texts` (by path below the protocol folder) as ruff formats them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        config = PROTOCOL.parent.parent / "pyproject.toml"
        command = [sys.executable, "-m", "ruff", "format", "--quiet", "--no-cache", "--config", str(config), folder]
        subprocess.run(command, check=True)
        return {name: Path(folder, name).read_text(encoding="utf-8") for name in texts}


def differences(texts: dict[str, str]) -> list[str]:
    """Name the files that are missing, different, or of no definition any more."""
    wrong = [
        name
        for name, text in texts.items()
        if not (PROTOCOL / name).is_file() or (PROTOCOL / name).read_text(encoding="utf-8") != text
    ]
    return wrong + stale_files(texts)


def stale_files(texts: dict[str, str]) -> list[str]:
    """Name the files in the generated folders that no definition stands behind."""
    return [
        f"{folder}/{path.name}"
        for folder in GENERATED_FOLDERS
        for path in sorted((PROTOCOL / folder).glob("*.py"))
        if f"{folder}/{path.name}" not in texts
    ]


def of_this_tree() -> Definitions:
    """Give all definitions of this tree, for a newer release to be laid over."""
    definitions = OverKnown()
    for key in APIS:
        definitions.api(key)
    for name in MESSAGES:
        definitions.message(name)
    for key, releases in API_RELEASES.items():
        for release, versions in releases.items():
            definitions.releases.setdefault(release, {})[key] = versions._asdict()
    return definitions


def write(texts: dict[str, str]) -> None:
    """Make the files under the protocol folder those of `texts`."""
    for name in stale_files(texts):
        (PROTOCOL / name).unlink()
    for name, text in texts.items():
        path = PROTOCOL / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", type=Path, help="folders of fact files, or jars, oldest release first")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when files are not current")
    parser.add_argument("--update", action="store_true", help="begin with the definitions of this tree")
    options = parser.parse_args(arguments)
    try:
        definitions: Definitions = read_sources(options.sources, of_this_tree() if options.update else None)
    except DefinitionError as error:
        print(f"import_definitions: {error}", file=sys.stderr)
        return 1
    if not definitions.apis:
        print("import_definitions: no API definitions in these sources (they are in kafka-clients)", file=sys.stderr)
        return 1
    texts = format_texts(module_texts(definitions))
    if options.check:
        wrong = differences(texts)
        for name in wrong:
            print(f"not current: {name}", file=sys.stderr)
        return 1 if wrong else 0
    write(texts)
    print(f"{len(definitions.apis)} APIs, {len(definitions.messages)} other messages, {len(texts)} files")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
