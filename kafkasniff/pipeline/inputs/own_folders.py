"""Folders that nobody else can have made, or put something into."""

import contextlib
import grp
import os
import pwd
import stat
from secrets import token_hex
from typing import IO

from kafkasniff.pipeline.errors import PipelineError

_OTHERS = 0o077


def new_folder(parent: str, name: str) -> str:
    """Make a folder in `parent` that was not there before, whose name nobody can foresee. Raises OSError."""
    path = os.path.join(parent, name + token_hex(8))
    # The mode that is asked for is an upper bound, so that there is no moment in which others may enter.
    os.mkdir(path, 0o700)
    return path


def new_file(path: str) -> IO[bytes]:
    """Make a file that was not there before, which only this user may read, and open it to write. Raises OSError."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb")


def make_folders(root: str, path: str, mode: int) -> str:
    """Make the folders of `path` below the folder `root`, where they are missing; give the last of them.

    Each must be this user's, and no link: whoever made another would choose where things are written. `mode` is that of
    new ones. Raises OSError, and PipelineError where one is not.
    """
    for name in path.split(os.sep):
        root = os.path.join(root, name)
        with contextlib.suppress(FileExistsError):
            os.mkdir(root, 0o700)
            os.chmod(root, mode)
        status = os.lstat(root)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise PipelineError(
                f"{root}: expected a folder of this user, found another; look who made it, and remove it"
            )
    return root


def is_own(path: str) -> bool:
    """Tell whether a folder, which is no link, belongs to this process's user, and nobody else may enter it."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & _OTHERS


def check_own(path: str) -> None:
    """Raise PipelineError unless `is_own` holds, and nobody else can put another folder in the place of this one.

    For that all folders above it must belong to this user or to root, and others may not write to them, or only as to
    /tmp, where each can rename nothing but what is its own (the sticky bit, inode(7)).
    """
    if not is_own(path):
        raise PipelineError(
            f"{path}: expected a folder of this user that nobody else may enter, found another; look who made it, and"
            " remove it"
        )
    folder = os.path.realpath(path)
    while folder != (folder := os.path.dirname(folder)):
        if not _is_safe(os.stat(folder)):
            raise PipelineError(
                f"{folder}: belongs to another user, or others may write to it: they could replace what --follow keeps"
                " below it; choose another DEST, or take that right from them (chmod go-w)"
            )


def _is_safe(status: os.stat_result) -> bool:
    """Tell whether only this user and root can rename what is in a folder."""
    if status.st_uid not in (0, os.geteuid()):
        return False
    shared = status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid))
    return not shared or bool(status.st_mode & stat.S_ISVTX)


def _is_private(gid: int) -> bool:
    """Tell whether a group is of this user alone, as where each has one of the same name, and the umask is 002."""
    try:
        group, user = grp.getgrgid(gid), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and {*group.gr_mem} <= {user.pw_name}
