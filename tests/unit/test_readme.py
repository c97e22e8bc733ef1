"""What README promises is there: every picture, every command."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from raidtui import cli

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURES = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)


def test_there_are_pictures() -> None:
    assert len(PICTURES) >= 5


@pytest.mark.parametrize("picture", PICTURES)
def test_every_picture_exists(picture: str) -> None:
    assert (ROOT / unquote(picture)).is_file()


def test_every_command_for_people_is_in_the_table() -> None:
    table = README.partition("## Commands")[2].partition("\n## ")[0]
    hidden = {"job", "complete", "wizard"}
    assert [
        name for name in cli.COMMANDS if name not in hidden and not re.search(rf"\b{name}\b", table)
    ] == []


REFERENCE = (ROOT / "raidtui" / "REFERENCE.md").read_text(encoding="utf-8")


def test_every_command_that_readme_or_the_reference_names_exists() -> None:
    named = set(re.findall(r"`(?:sudo )?raidtui ([a-z]+)", README + REFERENCE))
    assert named <= set(cli.COMMANDS)


def test_readme_is_short_enough_to_be_read() -> None:
    assert len(README.splitlines()) < 250


INSIDE = (ROOT / "raidtui" / "README.md").read_text(encoding="utf-8")
TABLE = INSIDE.partition("## The house")[2].partition("\n## ")[0]


def test_the_page_for_newcomers_shows_every_room_and_only_what_exists() -> None:
    rooms = {
        path.name for path in (ROOT / "raidtui").iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert {name for name in rooms if f"`{name}/`" not in TABLE} == set()
    firsts = re.findall(r"(?m)^\| (`[^|]*`) \|", TABLE)
    assert {
        name
        for row in firsts
        for name in re.findall(r"`([a-z_/.]+)`", row)
        if not (ROOT / "raidtui" / name).exists()
    } == set()
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", INSIDE)
    assert {
        name for name in named if not (ROOT / "raidtui" / name).exists() and not (ROOT / name).exists()
    } == set()
