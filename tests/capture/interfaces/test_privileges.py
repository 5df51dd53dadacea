"""What a process still may after it gave up its privileges, by what the kernel says of it (proc(5))."""

import os
import pwd
import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest

from kafkasniff.capture.interfaces.privileges import give_up_privileges
from tests.accounts import NOBODY, needs_root, python_for_all
from tests.conftest import ROOT

GIVE_UP = """
import sys
from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.interfaces.privileges import account_to_become, give_up_privileges
try:
    give_up_privileges(account_to_become(sys.argv[1] if sys.argv[1:] else None))
except CaptureError as error:
    sys.exit(str(error))
print(open("/proc/self/status").read())
"""

NET_RAW = 1 << 13
"""As proc(5) shows the capability CAP_NET_RAW."""


def give_up(*arguments: str, before: Sequence[str] = (), **environment: str) -> subprocess.CompletedProcess[str]:
    python, path = python_for_all()
    command = [*before, python, "-c", GIVE_UP, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env={"PYTHONPATH": path, **environment}
    )


def status_of(done: subprocess.CompletedProcess[str]) -> Mapping[str, list[str]]:
    assert done.returncode == 0, done.stderr
    pairs = [line.partition(":") for line in done.stdout.splitlines() if ":" in line]
    return {name: value.split() for name, _, value in pairs}


def groups_of(user: pwd.struct_passwd) -> set[str]:
    return {str(group) for group in os.getgrouplist(user.pw_name, user.pw_gid)}


@needs_root
@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["nobody"], {}),
        ([str(NOBODY.pw_uid)], {}),
        ([], {"SUDO_UID": str(NOBODY.pw_uid), "SUDO_GID": str(NOBODY.pw_gid)}),
        (["nobody"], {"SUDO_UID": "12345", "SUDO_GID": "12345"}),
    ],
    ids=["name", "number", "sudo", "name before sudo"],
)
def test_root_becomes_the_user_in_every_respect(arguments: list[str], environment: dict[str, str]) -> None:
    status = status_of(give_up(*arguments, before=(), **environment))
    assert status["Uid"] == [str(NOBODY.pw_uid)] * 4
    assert status["Gid"] == [str(NOBODY.pw_gid)] * 4
    assert {*status["Groups"]} == groups_of(NOBODY)
    assert status["NoNewPrivs"] == ["1"]
    assert [status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")] == [["0000000000000000"]] * 4


@needs_root
def test_who_called_sudo_need_not_be_in_the_list_of_users() -> None:
    status = status_of(give_up(SUDO_UID="54321", SUDO_GID="54322"))
    assert (status["Uid"], status["Gid"], status["Groups"]) == (["54321"] * 4, ["54322"] * 4, ["54322"])


@needs_root
@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        ([], {}),
        (["root"], {"SUDO_UID": str(NOBODY.pw_uid), "SUDO_GID": str(NOBODY.pw_gid)}),
        ([], {"SUDO_UID": "0", "SUDO_GID": "0"}),
        ([], {"SUDO_UID": str((1 << 32) - 1), "SUDO_GID": "5"}),
        ([], {"SUDO_UID": "-2", "SUDO_GID": "5"}),
        ([], {"SUDO_UID": "9" * 5_000, "SUDO_GID": "5"}),
        ([], {"SUDO_UID": "5"}),
    ],
    ids=["alone", "asked to stay", "sudo of root", "no id", "negative", "no number", "no group"],
)
def test_root_stays_where_there_is_nobody_to_become(arguments: list[str], environment: dict[str, str]) -> None:
    status = status_of(give_up(*arguments, before=(), **environment))
    assert status["Uid"] == ["0"] * 4
    assert status["NoNewPrivs"] == ["1"]


@needs_root
def test_a_user_with_the_right_to_capture_keeps_it_no_longer() -> None:
    """As one that runs an interpreter with `setcap cap_net_raw+ep`."""
    before = ("setpriv", "--reuid", "nobody", "--regid", str(NOBODY.pw_gid), "--clear-groups",
              "--inh-caps", "+net_raw", "--ambient-caps", "+net_raw")  # fmt: skip
    had = subprocess.run([*before, "cat", "/proc/self/status"], capture_output=True, text=True, check=False)
    assert int(status_of(had)["CapEff"][0], 16) & NET_RAW
    status = status_of(give_up(before=before))
    assert [status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")] == [["0000000000000000"]] * 4
    assert status["NoNewPrivs"] == ["1"]


@needs_root
def test_what_cannot_be_is_said() -> None:
    assert give_up("nobody-at-all").stderr == "--user nobody-at-all: there is no such user\n"
    assert give_up("9" * 5_000).stderr.endswith(": there is no such user\n")
    as_nobody = ("setpriv", "--reuid", "nobody", "--clear-groups", "--regid", str(NOBODY.pw_gid))
    assert give_up("root", before=as_nobody).stderr == "--user root: only root can become another user\n"
    without_right = ("setpriv", "--bounding-set", "-setuid,-setgid", "--inh-caps", "-setuid,-setgid")
    assert give_up("nobody", before=without_right).stderr == (
        "cannot become user nobody: Operation not permitted; `--user root` stays root\n"
    )


@needs_root
def test_a_user_who_may_not_read_the_modules_is_refused(tmp_path: "os.PathLike[str]") -> None:
    """Modules are loaded when they are needed, which would fail in the middle of a capture."""
    closed = os.path.join(tmp_path, "closed")
    os.mkdir(closed, 0o700)
    with open(os.path.join(closed, "sitecustomize.py"), "w"):
        pass
    python, path = python_for_all()
    done = subprocess.run(
        [python, "-c", GIVE_UP, "nobody"],
        capture_output=True, text=True, check=False, cwd=ROOT, env={"PYTHONPATH": f"{closed}{os.pathsep}{path}"},
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(f"user nobody may not read {closed}, where modules of Python lie; ")


STAYS = """
from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.interfaces.privileges import account_to_become
print(account_to_become(None), account_to_become("nobody"))
try:
    account_to_become("root")
except CaptureError as error:
    print(error)
"""


@needs_root
def test_a_user_stays_who_it_is() -> None:
    python, path = python_for_all()
    as_nobody = ("setpriv", "--reuid", "nobody", "--clear-groups", "--regid", str(NOBODY.pw_gid))
    done = subprocess.run(
        [*as_nobody, python, "-c", STAYS],
        capture_output=True, text=True, check=True, cwd=ROOT,
        env={"PYTHONPATH": path, "SUDO_UID": "1", "SUDO_GID": "1"},
    )  # fmt: skip
    assert done.stdout == "None None\n--user root: only root can become another user\n"


def test_on_other_systems_there_is_nothing_else_to_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    give_up_privileges(None)
