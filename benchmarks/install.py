"""Install dist/ in a bare Debian and measure that: `python -m benchmarks.install [--release bookworm] [--root FOLDER]`.

needs Linux, root, debootstrap, and dist/ as `make release` makes it for the release's Python. The Debian has Python and
pip alone, and no network: what the wheel needs is downloaded before, by this machine's pip.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.measure import Measurement, compare, run

ROOT = Path(__file__).resolve().parent.parent
CAPTURE = ROOT / "captures" / "java-4.3.1-basic.pcap"
RUNS = 15


def make_root(root: Path, release: str) -> None:
    """Make the Debian, if it is not there yet."""
    if not root.exists():
        packages = "--include=python3,python3-pip,python3-venv"
        subprocess.run(["debootstrap", "--variant=minbase", packages, release, str(root)], check=True)
    for folder in ("srv", "root/.shiv"):
        shutil.rmtree(root / folder, ignore_errors=True)
    (root / "srv").mkdir()


def bring(root: Path) -> None:
    """Lay what is installed, and what that needs, into the Debian."""
    brought = root / "srv"
    found = subprocess.run(
        ["chroot", str(root), "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        check=True,
        capture_output=True,
        text=True,
    )
    [wheel] = (ROOT / "dist").glob("*.whl")
    version = found.stdout.strip()
    wanted = ["--only-binary=:all:", f"--python-version={version}", "--dest", str(brought / "packages")]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *wanted, str(wheel)], check=True)
    shutil.copy(ROOT / "dist" / "kafkasniff.pyz", brought)
    shutil.copy(CAPTURE, brought / "a.pcap")


def size_of(folder: Path) -> int:
    """Give the bytes in the files of a folder."""
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file() and not each.is_symlink())


def main() -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default="bookworm")
    parser.add_argument("--root", type=Path)
    given = parser.parse_args()
    root = given.root or ROOT / "build" / given.release
    make_root(root, given.release)
    bring(root)
    inside = ["unshare", "--net", "chroot", str(root), "/usr/bin/env", "-i", "HOME=/root", "PATH=/usr/bin:/bin"]

    run([*inside, "python3", "-m", "venv", "/srv/venv"])
    before = size_of(root / "srv" / "venv")
    install = run(
        [*inside, "/srv/venv/bin/pip", "install", "--no-index", "--find-links", "/srv/packages", "kafkasniff"]
    )
    size = size_of(root / "srv" / "venv") - before
    first = run([*inside, "/srv/venv/bin/kafkasniff", "read", "/srv/a.pcap"])
    print(f"pip install {told(install)}, first command {told(first)}; {size / 1e6:.1f} MB of files")

    python = [*inside, "/srv/venv/bin/python", "-c"]
    imports = compare(
        {
            "pass": [*python, "pass"],
            "import kafkasniff": [*python, "import kafkasniff"],
            "import kafkasniff; kafkasniff.read": [*python, "import kafkasniff; kafkasniff.read"],
        },
        RUNS,
    )
    for name, taken in imports.items():
        print(f"python -c {name!r}: {1e3 * taken.cpu:.0f} ms of CPU (median of {RUNS} runs)")

    single = [*inside, "python3", "/srv/kafkasniff.pyz", "read", "/srv/a.pcap"]
    begun, again = run(single), run(single)
    print(
        f"kafkasniff.pyz {(root / 'srv' / 'kafkasniff.pyz').stat().st_size / 1e6:.0f} MB: first start {told(begun)},"
        f" next {told(again)}, {size_of(root / 'root' / '.shiv') / 1e6:.0f} MB unpacked"
    )


def told(taken: Measurement) -> str:
    """Say how long something took."""
    return f"{taken.wall:.1f} s ({taken.cpu:.1f} s of CPU)"


if __name__ == "__main__":
    main()
