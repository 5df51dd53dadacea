"""Install dist/ in a bare Debian and measure that: `python -m benchmarks.install [--release bookworm] [--root FOLDER]`.

needs Linux, root, debootstrap, and dist/ as `make release` makes it for the release's Python. The Debian has Python and
pip alone. What the wheel needs is downloaded before by its own pip, since a pip asks its own Python which packages are
needed. Nothing that is measured has a network.
"""

import argparse
import shutil
import ssl
import subprocess
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
    [wheel] = (ROOT / "dist").glob("*.whl")
    shutil.copy(wheel, brought)
    # The Debian has no certificates of its own.
    certificates = ssl.get_default_verify_paths().cafile
    if certificates is not None:
        shutil.copy(certificates, brought / "certificates.pem")
    download = [
        "pip",
        "download",
        "--quiet",
        "--cert",
        "/srv/certificates.pem",
        "--only-binary=:all:",
        "--dest",
        "/srv/packages",
    ]
    subprocess.run([*inside(root), "python3", "-m", *download, f"/srv/{wheel.name}"], check=True)
    shutil.copy(ROOT / "dist" / "kafkasniff.pyz", brought)
    shutil.copy(CAPTURE, brought / "a.pcap")


def inside(root: Path) -> list[str]:
    """Give the beginning of a command that runs in the Debian."""
    return ["chroot", str(root), "/usr/bin/env", "-i", "HOME=/root", "PATH=/usr/bin:/bin"]


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
    alone = ["unshare", "--net", *inside(root)]

    run([*alone, "python3", "-m", "venv", "/srv/venv"])
    before = size_of(root / "srv" / "venv")
    install = run([*alone, "/srv/venv/bin/pip", "install", "--no-index", "--find-links", "/srv/packages", "kafkasniff"])
    size = size_of(root / "srv" / "venv") - before
    first = run([*alone, "/srv/venv/bin/kafkasniff", "read", "/srv/a.pcap"])
    print(f"pip install {told(install)}, first command {told(first)}; {size / 1e6:.1f} MB of files")

    python = [*alone, "/srv/venv/bin/python", "-c"]
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

    single = [*alone, "python3", "/srv/kafkasniff.pyz", "read", "/srv/a.pcap"]
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
