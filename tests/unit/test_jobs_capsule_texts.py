"""What the tools print about a disk goes into its capsule, and not into the journal."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from raidtui.jobs import steps
from raidtui.jobs.commands import Commands, Done
from raidtui.jobs.holding import Holding
from raidtui.jobs.journal import Journal, read_journal
from raidtui.jobs.steps import Worker
from raidtui.model.machine import Disk
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.spec import Spec

DOCUMENT = '{"smartctl": {"output": ["' + "x" * 5000 + '"]}}'


class Recorded:
    """Answers for the programs, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def run(self, argv: Sequence[str]) -> Done:
        self.asked.append(tuple(argv))
        return Done(argv=tuple(argv), returncode=0, stdout=DOCUMENT, stderr="", seconds=0.1)


@pytest.mark.parametrize("asked", [1, 0], ids=["with SMART", "without"])
def test_the_journal_does_not_carry_smartctls_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: int
) -> None:
    monkeypatch.setattr(steps, "find_tool", lambda program: f"/sbin/{program}")
    commands = Recorded()
    disk = Disk(name="sda", path="/dev/sda", device_number="8:0", size_bytes=1, serial="S-1")
    with Journal(tmp_path) as journal:
        worker = Worker(
            Plan(
                kind=PlanKind.BUILD,
                spec=Spec(name="tank", level="raid1"),
                seed="s",
                array_uuid="u",
                array_path="/dev/md/tank",
            ),
            {},
            capsule=tmp_path,
            journal=journal,
            commands=cast(Commands, commands),
            holding=Holding([], own=lambda: ()),
            with_smart=["S-1"] * asked,
        )
        texts = worker._tell("capsule", disk)
    assert len(commands.asked) == asked
    assert ("smart.json" in texts) is bool(asked)
    assert texts.get("smart.json", DOCUMENT) == DOCUMENT
    kept = [entry.stdout for entry in read_journal(tmp_path)]
    assert kept == ["kept in the capsule as smart.json"] * asked
