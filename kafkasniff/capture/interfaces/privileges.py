"""Gives up what only the opening of interfaces and files needs: root, capabilities, and the way back to them."""

import ctypes
import os
import pwd
import sys
from typing import NamedTuple

from kafkasniff.capture.errors import CaptureError

ROOT = 0

_PR_SET_NO_NEW_PRIVS = 38
"""prctl(2)."""
_CAPABILITY_VERSION_3 = 0x20080522
"""capget(2)."""
_NO_ID = (1 << 32) - 1
"""Means "as it was" to the system (setresuid(2))."""
_STAY = "`--user root` stays root"


class Account(NamedTuple):
    """A user of this machine."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    """All, `gid` among them."""


def account_to_become(name: str | None) -> Account | None:
    """Give whom to become once all is open: the user `name`, else whoever called sudo; None: nobody else.

    Raises CaptureError for a name that is none, and where only root could become that user.
    """
    if name is None:
        return _caller_of_sudo() if os.geteuid() == ROOT else None
    try:
        entry = pwd.getpwuid(int(name)) if name.isdecimal() else pwd.getpwnam(name)
    except (KeyError, ValueError, OverflowError):
        raise CaptureError(f"--user {name}: there is no such user") from None
    if entry.pw_uid == os.geteuid():
        return None
    if os.geteuid() != ROOT:
        raise CaptureError(f"--user {name}: only root can become another user")
    return _account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def give_up_privileges(account: Account | None) -> None:
    """Become `account` for good, without capabilities, and let no program that is started have more.

    None: stay who we are; root then keeps all. Raises CaptureError where that cannot be, or where the account may not
    read the modules that are still to be loaded.
    """
    if account is not None:
        try:
            os.setgroups(account.groups)
            # As root each sets the real, the effective and the saved id (setuid(2)).
            os.setgid(account.gid)
            os.setuid(account.uid)
        except OSError as error:
            raise CaptureError(f"cannot become user {account.name}: {error.strerror}; {_STAY}") from None
        _check_modules(account)
    if sys.platform == "linux":
        _forbid_more(without_capabilities=os.geteuid() != ROOT)


def _caller_of_sudo() -> Account | None:
    """Give who called sudo by what sudo says (sudo(8)); None where that is nobody, or root."""
    texts = os.environ.get("SUDO_UID", ""), os.environ.get("SUDO_GID", "")
    if not all(text.isdecimal() and len(text) <= len(str(_NO_ID)) for text in texts):
        return None
    uid, gid = map(int, texts)
    if uid == ROOT or max(uid, gid) >= _NO_ID:
        return None
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        return Account(str(uid), uid, gid, (gid,))
    return _account(name, uid, gid)


def _account(name: str, uid: int, gid: int) -> Account:
    return Account(name, uid, gid, tuple(os.getgrouplist(name, gid)))


def _check_modules(account: Account) -> None:
    """Raise CaptureError where modules lie that this process may not read any more: some are loaded when needed."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    for folder in sorted({os.path.dirname(file) for file in files if file}):
        if not os.access(folder, os.R_OK | os.X_OK):
            raise CaptureError(
                f"user {account.name} may not read {folder}, where modules of Python lie; install kafkasniff where"
                f" that user may, or name another with --user; {_STAY}"
            )


def _forbid_more(without_capabilities: bool) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise CaptureError(f"privileges cannot be given up for good: {os.strerror(ctypes.get_errno())}")
    if without_capabilities:
        # Effective, permitted and inheritable, 64 bits of each in two halves.
        header, none = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
        if libc.capset(header, none):
            raise CaptureError(f"capabilities cannot be given up: {os.strerror(ctypes.get_errno())}")
