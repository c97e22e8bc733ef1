"""Lines are put into files and taken out again without touching anything else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.jobs.edits import drop_line, ensure_line
from raidtui.machine.lines import has_line
from raidtui.model.errors import StepFailed

LINE = "UUID=1234 /srv/tank ext4 defaults,nofail 0 2"


def test_a_line_is_added_once(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text("# a comment\n/dev/sda1 / ext4 defaults 0 1\n")
    fstab.chmod(0o640)
    assert ensure_line(str(fstab), LINE).startswith("added the line")
    assert " already has the line " in ensure_line(str(fstab), LINE)
    assert fstab.read_text() == f"# a comment\n/dev/sda1 / ext4 defaults 0 1\n{LINE}\n"
    assert fstab.stat().st_mode & 0o777 == 0o640


def test_a_last_line_without_a_newline_is_not_run_together_with_the_new_one(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text("proc /proc proc")
    ensure_line(str(fstab), LINE)
    assert fstab.read_text() == f"proc /proc proc\n{LINE}\n"


def test_of_several_equal_lines_the_first_stays(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(f"{LINE}\nother\n{LINE}  \n")
    ensure_line(str(fstab), LINE)
    assert fstab.read_text() == f"{LINE}\nother\n"


def test_a_file_that_does_not_exist_is_made(tmp_path: Path) -> None:
    conf = tmp_path / "mdadm.conf"
    ensure_line(str(conf), "ARRAY /dev/md/tank UUID=1")
    assert conf.read_text() == "ARRAY /dev/md/tank UUID=1\n"
    assert conf.stat().st_mode & 0o777 == 0o644


def test_a_folder_that_does_not_exist_is_made(tmp_path: Path) -> None:
    conf = tmp_path / "mdadm" / "mdadm.conf"
    ensure_line(str(conf), LINE)
    assert conf.read_text() == f"{LINE}\n"
    assert conf.parent.stat().st_mode & 0o777 == 0o755


def test_a_folder_that_a_link_leads_to_is_not_made(tmp_path: Path) -> None:
    (link := tmp_path / "fstab").symlink_to(tmp_path / "unmounted" / "fstab")
    with pytest.raises(StepFailed, match=r"a link into .*unmounted, which does not exist"):
        ensure_line(str(link), LINE)
    assert not (tmp_path / "unmounted").exists()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("one\n")
    link.symlink_to(real)
    ensure_line(str(link), "two")
    assert link.is_symlink()
    assert real.read_text() == "one\ntwo\n"


def test_what_a_killed_process_left_beside_the_file_does_no_harm(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text("one\n")
    (tmp_path / ".fstab.raidtui").write_text("half of someth")
    ensure_line(str(fstab), "two")
    assert fstab.read_text() == "one\ntwo\n"
    assert [path.name for path in tmp_path.iterdir()] == ["fstab"]


def test_bytes_that_are_no_text_are_left_alone(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_bytes(b"\xff\xfe\r\nnext\n")
    ensure_line(str(fstab), LINE)
    drop_line(str(fstab), LINE)
    assert fstab.read_bytes() == b"\xff\xfe\r\nnext\n"


def test_taking_out_of_a_file_that_is_not_there_is_nothing(tmp_path: Path) -> None:
    assert drop_line(str(tmp_path / "fstab"), LINE).startswith("there is no")


def test_two_lines_are_not_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not one line"):
        ensure_line(str(tmp_path / "fstab"), "one\ntwo")


lines = st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).filter(
    lambda text: bool(text.strip()) and len(text.splitlines()) == 1
)


@given(content=st.lists(lines), line=lines)
def test_dropping_undoes_ensuring(
    tmp_path_factory: pytest.TempPathFactory, content: list[str], line: str
) -> None:
    file = tmp_path_factory.mktemp("edits") / "file"
    others = [one for one in content if one.rstrip() != line.rstrip()]
    before = "".join(f"{one}\n" for one in others)
    file.write_text(before, encoding="utf-8")
    ensure_line(str(file), line)
    assert has_line(str(file), line)
    drop_line(str(file), line)
    assert not has_line(str(file), line)
    assert file.read_text(encoding="utf-8") == before


def test_a_line_with_bytes_that_are_no_text_is_taken_out_as_it_was_shown(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_bytes(b"\tUUID=1234 /srv/m\xfcsik ext4\nkept\n")
    shown = "\tUUID=1234 /srv/m\N{REPLACEMENT CHARACTER}sik ext4"
    assert has_line(str(fstab), shown)
    drop_line(str(fstab), shown)
    assert fstab.read_bytes() == b"kept\n"
