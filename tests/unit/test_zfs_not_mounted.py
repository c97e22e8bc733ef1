"""Datasets that zfs mounts at boot and that are not mounted."""

from pathlib import Path

import pytest

from raidtui.backends.reading import recorded_machine
from raidtui.backends.zfs.not_mounted import not_mounted
from raidtui.backends.zfs.reading import read_datasets
from raidtui.machine.ask import ToolAnswer
from tests.unit.zfs_machines import dataset, report, zfs_machine

STATES = Path(__file__).parents[1] / "machines" / "states"


@pytest.mark.parametrize(
    ("state", "what", "command"),
    [
        (
            "zfs-locked",
            "pool tank: 2 datasets are not mounted: tank/mail and tank/mail/archive, because their keys are not loaded",
            "zfs mount -l -a",
        ),
        (
            "zfs-not-mounted",
            "pool tank: 3 datasets are not mounted: tank/mail, tank/mail/archive and tank/photos; "
            "the keys of tank/mail and tank/mail/archive are not loaded",
            "zfs mount -l -a",
        ),
        (
            "zfs-one-not-mounted",
            "pool tank: dataset tank/photos is not mounted at /srv/tank/photos",
            "zfs mount tank/photos",
        ),
    ],
)
def test_each_is_named_with_what_keeps_it_down(state: str, what: str, command: str) -> None:
    (found,) = not_mounted(recorded_machine(str(STATES / f"{state}.json")))
    assert found.what == what
    assert [one.commands for one in found.remedies] == [(command,)]


def test_what_zfs_does_not_mount_by_itself_is_not_missed() -> None:
    kept = {"mounted": False, "mounts_itself": True}
    some = [
        dataset(),
        dataset("tank/noauto", mounted=False),  # canmount is off or noauto, or it was not read
        dataset("tank/legacy", mountpoint="legacy", **kept),
        dataset("tank/none", mountpoint="none", **kept),
    ]
    assert list(not_mounted(zfs_machine(report(datasets=some)))) == []
    (found,) = not_mounted(zfs_machine(report(datasets=[*some, dataset("tank/old photos", **kept)])))
    assert found.remedies[0].commands == ("zfs mount 'tank/old photos'",)


@pytest.mark.parametrize(("version", "asked"), [("0.7.12", False), ("0.8.3", True), ("2.1.11", True)])
def test_the_key_is_asked_for_where_zfs_encrypts(version: str, asked: bool) -> None:
    """An older zfs refuses the whole list for a property that it does not know."""
    columns = []

    def ask(argv: list[str], **_: object) -> ToolAnswer:
        columns.append(argv[-1].split(","))
        return ToolAnswer(returncode=0)

    read_datasets(ask, version)  # type: ignore[arg-type]
    assert ("keystatus" in columns[0]) is asked
