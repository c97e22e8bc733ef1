"""Who keeps a filesystem mounted, by the links in a made /proc."""

import os
from pathlib import Path

from raidtui.machine.taken.file_users import file_users
from raidtui.machine.tree import Tree


def process(folder: Path, pid: int, name: str, **links: str) -> None:
    files = folder / "proc" / str(pid) / "fd"
    files.mkdir(parents=True)
    (files.parent / "comm").write_text(f"{name}\n")
    for link, target in links.items():
        os.symlink(target, files / link.removeprefix("fd") if link.startswith("fd") else files.parent / link)


def test_a_file_a_folder_or_a_program_keeps_it_mounted(tmp_path: Path) -> None:
    process(tmp_path, 7, "mysqld", fd3="/srv/my data/ib (deleted)", cwd="/")
    process(tmp_path, 30, "bash", cwd="/srv/my data")
    process(tmp_path, 31, "cat", cwd="/srv/my data2", fd0="pipe:[77]", root="/")
    process(tmp_path, 200, "app", exe="/srv/my data/bin/app")
    tree = Tree(tmp_path)
    assert file_users(tree, "/srv/my data") == "mysqld (process 7), bash (process 30) and app (process 200)"
    process(tmp_path, 201, "app", exe="/srv/my data/bin/app")
    assert file_users(tree, "/srv/my data").endswith("app (process 200) and 1 more")
    assert file_users(tree, "/srv/other") == ""
