"""Inputs that nobody meant: mutations of good ones, by bytes, by lines, and by the values of a JSON document."""

import base64
import json
import os
import random
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from raidtui.model.errors import RaidtuiError

LONG, QUICK = 1_000_000, 400
CPU_SECONDS: Final = 2.0
MOST_BYTES: Final = 200 * 2**20
LONGEST: Final = 1000
PIECES: Final = (
    *(
        b"\x00",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"\x1b[2J",
        "\u202e".encode(),
        "\u200b".encode(),
        b"\x9b",
        b"\r",
        b"\n",
    ),
    *(b"-1", b"0", b"9" * 20, b"9" * 400, b"9" * 5000, b"1e999", b"nan", b"inf", b".5.5", "\u0663".encode()),
    *(b"A" * 5000, b"[" * 3000, b"{" * 50, b"a." * 3000, b'"', b"'", b"\\", b"=", b":", b",", b"%s{}"),
)
VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 512, 2**31, 2**63 - 1, 2**63, 10**30, -(2**63), 0.5, 1e308),
    *("", "0", "-1", "A" * 5000, "\x1b[2J", "\u202e", "\x9b", "x\ny", "[bold]", "9" * 400, "../../x"),
    *([], {}, [[]], [None], [0] * 3000, {"": ""}),
)


def mutated(seed: bytes, dice: random.Random) -> bytes:
    """``seed`` with one to three changes."""
    found = seed
    for _ in range(dice.choice((1, 1, 2, 3))):
        found = dice.choice((_document, _document, _bytes, _lines))(found, dice)
    return found


def _bytes(text: bytes, dice: random.Random) -> bytes:
    start = dice.randrange(len(text) + 1)
    end = min(len(text), start + dice.choice((0, 0, 1, 4, 30)))
    how: tuple[Callable[[], bytes], ...] = (
        lambda: text[:start] + dice.choice(PIECES) + text[end:],
        lambda: text[:start] + bytes([dice.randrange(256)]) + text[end:],
        lambda: text[:start],
        lambda: text[:start] + text[end:],
        lambda: text[:end] + text[start:],
    )
    return dice.choice(how)()


def _lines(text: bytes, dice: random.Random) -> bytes:
    lines = text.split(b"\n")
    one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    match dice.randrange(4):
        case 0:
            del lines[one]
        case 1:
            lines[one], lines[other] = lines[other], lines[one]
        case 2:
            lines[one:one] = [lines[other]] * dice.choice((1, 2, 50))
        case _:
            words = lines[one].split(b" ")
            words[dice.randrange(len(words))] = dice.choice(PIECES)
            lines[one] = b" ".join(words)
    return b"\n".join(lines)


def _document(text: bytes, dice: random.Random) -> bytes:
    """Another value at a random place of a JSON document; other text is changed by bytes."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return _bytes(text, dice)
    at, places = document, []
    while isinstance(at, dict | list) and at:
        key: Any = dice.choice(list(at)) if isinstance(at, dict) else dice.randrange(len(at))
        places.append((at, key))
        at = at[key]
    if not places:
        return json.dumps(dice.choice(VALUES)).encode()
    # Mostly a leaf; sometimes what holds it.
    holder, key = places[-1 if dice.random() < 0.8 else dice.randrange(len(places))]
    match dice.randrange(5):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 1 if isinstance(holder, list):
            holder[key:key] = [holder[key]] * dice.choice((1, 20))
        case _:
            holder[key] = dice.choice(VALUES)
    return json.dumps(document).encode()


def ends_well(target: Callable[[bytes, Path], object], content: bytes, folder: Path) -> None:
    """Run the target: a value or one of our errors, whose sentence can be shown; at once, in little memory."""
    begin = time.process_time()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    try:
        target(content, folder)
        sentence = ""
    except RaidtuiError as error:
        sentence = str(error)
    assert len(sentence) < LONGEST
    assert sentence.replace("\n", "").replace("\t", "").isprintable()
    spent = time.process_time() - begin
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    assert spent < CPU_SECONDS, f"{spent:.1f} s of CPU"
    assert grown < MOST_BYTES, f"{grown / 2**20:.0f} MiB"


def count_of(request: pytest.FixtureRequest, targets: int) -> int:
    """How many mutations each of ``targets`` gets."""
    return int((LONG if request.config.getoption("--long") else QUICK) // targets)


def try_mutations(
    name: str, seeds: Sequence[bytes], target: Callable[[bytes, Path], object], folder: Path, count: int
) -> None:
    """Give the target each number's mutation of a seed, the first one as it is."""
    assert seeds
    alone = os.environ.get("RAIDTUI_MUTATION")
    for number in [int(alone)] if alone else range(count):
        dice = random.Random(f"{name} {number}")
        seed = dice.choice(seeds)
        content = seed if number == 0 else mutated(seed, dice)
        try:
            ends_well(target, content, folder)
        except BaseException as error:
            error.add_note(f"RAIDTUI_MUTATION={number}; the input: {base64.b85encode(content[:3000])!r}")
            raise
