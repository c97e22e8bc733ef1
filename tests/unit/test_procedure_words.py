"""Every procedure has a word of its own, by which the command line names it."""

from typing import get_args

import msgspec

from raidtui.model.procedure import (
    Procedure,
    RemoveLine,
    Scrub,
    Start,
    asked_for,
    erased_by,
    is_choice,
    word_of,
)


def every() -> list[Procedure]:
    made: list[Procedure] = [
        kind(
            **{one.name: "x" for one in msgspec.structs.fields(kind) if one.type is str}
            | ({"lines": ("x",)} if kind is RemoveLine else {})
        )
        for kind in get_args(Procedure)
    ]
    return [*made, Start(unit="x", degraded=True), Start(unit="x", forced=True), Scrub(unit="x", repair=True)]


def test_the_words_differ_and_a_request_keeps_the_procedure() -> None:
    words = [word_of(one) for one in every()]
    assert len(set(words)) == len(words)
    assert {"start", "start-degraded", "start-forced", "check", "repair", "add-spare"} <= set(words)
    for one in every():
        assert msgspec.json.decode(msgspec.json.encode(one), type=Procedure) == one


def test_what_can_be_asked_for_is_found_by_its_word() -> None:
    asked = [one for one in every() if asked_for(word_of(one), "x", "x") is not None]
    assert all(asked_for(word_of(one), "x", "x") == one for one in asked)
    assert {"add-spare", "remove-spare", "spare-group", "check", "repair"} <= {word_of(one) for one in asked}
    assert asked_for("replace", "x") is None


def test_what_forces_or_overwrites_is_a_choice() -> None:
    choices = {word_of(one) for one in every() if is_choice(one)}
    assert choices == {
        "start-degraded",
        "start-forced",
        "start-tried",
        "restore-metadata",
        "restore-table",
        "repair",
        "alerts-off",
        "remove-line",
        "remove-missing",
        "remove-spare",
        "remove-vdev",
    }
    assert {word_of(one) for one in every() if erased_by(one)} == {"replace", "add-spare"}
