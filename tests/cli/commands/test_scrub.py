from pathlib import Path

from tests.cli.conftest import Run


def test_a_capture_is_scrubbed_into_a_new_file(run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "out.pcapng")
    done = run("scrub", "java-4.3.1-basic.pcap", out)
    assert done.returncode == 0
    assert done.stderr.startswith("482 packets, 108 calls; ")
    listed = run("read", out, "--json")
    assert listed.stdout.count("\n") == 108
    assert "shop-" not in listed.stdout
    again = run("scrub", "java-4.3.1-basic.pcap", out)
    assert again.returncode == 1
    assert "exists already" in again.stderr


def test_a_key_file_gives_the_same_names(run: Run, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"any bytes")
    for name in ("a", "b"):
        run("scrub", "java-4.3.1-basic.pcap", str(tmp_path / name), "--key-file", str(key))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_nothing_is_left_where_it_fails(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    key = ("--key-file", str(tmp_path / "empty"))
    for capture, *options in (("not-there.pcap",), ("-",), ("java-4.3.1-basic.pcap", *key)):
        done = run("scrub", capture, str(tmp_path / "out"), *options)
        assert done.returncode in (1, 2)
        assert done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
