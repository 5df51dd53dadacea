"""Whose a folder is, and who could put another in its place."""

import os
import stat

import pytest

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.inputs.own_folders import check_own, is_own, new_folder

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
NOBODY = 65534


def test_a_new_folder_is_this_users_alone_and_has_a_name_of_its_own(tmp_path):
    before = os.umask(0)
    try:
        found = [new_folder(str(tmp_path), "some-") for _ in range(20)]
    finally:
        os.umask(before)
    assert len({*found}) == 20
    for path in found:
        assert path.startswith(f"{tmp_path}/some-")
        assert stat.S_IMODE(os.lstat(path).st_mode) == 0o700
        assert is_own(path)
        check_own(path)


def test_links_files_and_open_folders_are_not_own(tmp_path):
    (tmp_path / "own").mkdir(0o700)
    (tmp_path / "link").symlink_to(tmp_path / "own")
    (tmp_path / "open").mkdir(0o755)
    (tmp_path / "file").touch(0o700)
    for name in ("link", "open", "file", "gone"):
        assert not is_own(str(tmp_path / name))
        with pytest.raises(PipelineError, match=f"{name}: expected a folder of this user that nobody else may enter"):
            check_own(str(tmp_path / name))


@needs_root
def test_what_others_made_or_can_replace_is_not_own(tmp_path):
    theirs, shared, sticky = (tmp_path / name for name in ("theirs", "shared", "sticky"))
    for folder in (theirs, shared, sticky):
        (folder / "own").mkdir(0o700, parents=True)
    os.chown(theirs, NOBODY, NOBODY)
    shared.chmod(0o777)
    sticky.chmod(0o1777)
    for folder in (theirs, shared):
        assert is_own(str(folder / "own"))
        with pytest.raises(PipelineError, match=f"{folder}: belongs to another user, or others may write to it"):
            check_own(str(folder / "own"))
    check_own(str(sticky / "own"))
    assert not is_own(str(theirs))


@needs_root
def test_a_group_that_has_only_this_user_may_write(tmp_path):
    """As where the umask is 002, and each user has a group of the same name."""
    (tmp_path / "own").mkdir(0o700)
    tmp_path.chmod(0o770)
    check_own(str(tmp_path / "own"))
    os.chown(tmp_path, 0, NOBODY)
    with pytest.raises(PipelineError, match="others may write to it"):
        check_own(str(tmp_path / "own"))
