"""Computers with a RAID card: a fake tool that replays recorded output, and what raidtui reads from it."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.backends.cards.family import Family
from raidtui.backends.cards.reader import card_reader
from raidtui.backends.megaraid import tools
from raidtui.backends.megaraid.reader import MEGARAID
from raidtui.machine.ask import ToolAnswer
from raidtui.model.machine import Card, Disk, Machine
from tests.unit.plan_machines import machine

DATA = Path(__file__).parent / "data/cards"
CARD = Card(
    driver="megaraid_sas",
    address="0000:01:00.0",
    vendor="1000",
    device="005b",
    board_vendor="1000",
    board="9273",
    hosts=(0,),
)
VIRTUAL = Disk(
    name="sda",
    path="/dev/sda",
    device_number="8:0",
    size_bytes=41016098816 * 512,
    serial="00aa",
    wwn="0x5000000000000011",
    by_id=("wwn-0x5000000000000011",),
    model="MR9270CV-8i",
    vendor="LSI",
)


def recorded(name: str) -> str:
    """The recorded output in the file ``name``."""
    return (DATA / name).read_text()


def answer(data: Mapping[str, Any] | None = None, **status: Any) -> str:
    """``data`` as storcli prints it, with its command status."""
    whole: dict[str, Any] = {"Command Status": {"Controller": 0, "Status": "Success", **status}}
    if data is not None:
        whole["Response Data"] = data
    return json.dumps({"Controllers": [whole]})


def without_volumes(text: str) -> str:
    """The output of ``/c0 show all`` in ``text``, for a card without virtual drives."""
    document = json.loads(text)
    data = document["Controllers"][0]["Response Data"]
    data["Virtual Drives"] = 0
    del data["VD LIST"]
    return json.dumps(document)


def nine_two_seventy() -> dict[str, str]:
    """The output of storcli for the 9270, by command."""
    return {
        "show": answer({"Number of Controllers": 1}),
        "/c0 show all": recorded("9270-c0.json"),
        "/c0/vall show all": recorded("9270-vall.json"),
        "/c0/eall/sall show all": recorded("9270-sall.json"),
    }


def nine_six_sixty() -> dict[str, str]:
    """The same of storcli2 for a 9660: one virtual drive, and three of its drives."""
    return {
        "show": answer({"Number of Controllers": 1}),
        "/c0 show all": re.sub(
            r'"(VD|PD|PD Drive) Count": \d+',
            lambda one: f'"{one[1]} Count": {1 if one[1] == "VD" else 3}',
            recorded("9660-c0.json"),
        ),
        "/c0/vall show all": recorded("9660-vall.json"),
        "/c0/eall/sall show all": recorded("9660-e320s3.json"),
    }


def asks(
    answers: Mapping[str, str], *, returncode: int = 0, asked: list[list[str]] | None = None
) -> Callable[[Sequence[str]], ToolAnswer]:
    """A fake storcli; it refuses unknown commands as the real one does."""

    refusal = answer(Status="Failure", Description="Un-supported command")

    def words_of(argv: Sequence[str]) -> str:
        assert list(argv[-2:]) == ["J", "nolog"] or argv[0] == "smartctl"
        return " ".join(argv[1:-2])

    return answering(answers, words_of, refusal, returncode=returncode, asked=asked)


def answering(
    answers: Mapping[str, str],
    words_of: Callable[[Sequence[str]], str],
    refusal: str,
    *,
    returncode: int,
    asked: list[list[str]] | None,
) -> Callable[[Sequence[str]], ToolAnswer]:
    """A fake tool: answers a command by its words, which ``words_of`` takes from its arguments; else ``refusal``."""

    def ask(argv: Sequence[str]) -> ToolAnswer:
        if asked is not None:
            asked.append(list(argv))
        return ToolAnswer(returncode=returncode, stdout=answers.get(words_of(argv), refusal))

    return ask


def with_card(
    monkeypatch: pytest.MonkeyPatch,
    answers: Mapping[str, str],
    *,
    card: Card = CARD,
    disks: Sequence[Disk] = (VIRTUAL,),
    tool: str = "storcli64",
) -> Machine:
    """The computer as raidtui reads it if the tool gives these answers."""
    monkeypatch.setattr(tools, "find_tool", lambda name: f"/usr/sbin/{name}" if name == tool else None)
    return read_by(MEGARAID, asks(answers), card=card, disks=disks)


def read_by(
    family: Family, ask: Callable[[Sequence[str]], ToolAnswer], *, card: Card, disks: Sequence[Disk]
) -> Machine:
    """The computer with ``card`` and ``disks`` as its ``family`` sees it."""
    there = msgspec.structs.replace(machine(), cards=(card,), disks=tuple(disks))
    reading = family.read_ours(there.cards, ask)
    assert reading is not None
    there = msgspec.structs.replace(there, readings={family.name.value: msgspec.to_builtins(reading)})
    return card_reader(family).with_drives(there, ask, False)
