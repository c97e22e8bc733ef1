"""The options: every answer is kept at once, and a wrong one is refused with a sentence."""

import asyncio
import threading

import msgspec
from textual import events
from textual.pilot import Pilot

from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.ui.wizard.draft import Draft
from tests.ui import machines
from tests.ui.pictures import (
    LOOKS,
    WITH_WIDE,
    SnapCompare,
    answers,
    drain,
    in_app,
    open_app,
    picture,
    press,
    settle,
    shown,
)
from tests.ui.worlds import PretendWorld

SERIALS = [machines.disk(number).serial for number in range(1, 5)]


def raid5() -> Draft:
    return answers(*SERIALS, level="raid5")


@LOOKS
def test_every_option_has_a_default(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "options", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look)


@WITH_WIDE
def test_whole_disks_and_no_filesystem(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "options", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look, ["down", "left", "down", "right", "down", "right"])


@LOOKS
def test_a_name_that_cannot_be(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "options", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look, ["slash", "m", "y", "space", "enter"])


def test_label_and_mount_point_follow_the_name_until_they_are_changed() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "2")
        assert app.draft.spec.filesystem.label == "data2"
        assert app.draft.spec.filesystem.mountpoint == "/srv/data2"
        await press(pilot, *["down"] * 3, "x", *["up"] * 3, "3")
        assert app.draft.spec.name == "data23"
        assert app.draft.spec.filesystem.label == "data2x"
        assert app.draft.spec.filesystem.mountpoint == "/srv/data23"

    in_app(app, walk)


def test_arrows_change_a_choice() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "right", "right", *["down"] * 3, "space")
        await press(pilot, "down", "right", "down", "down", "down", "right")
        assert app.draft.spec.partition is False
        assert app.draft.spec.consistency == "resync"
        assert app.draft.spec.filesystem.type == "btrfs"

    in_app(app, walk)


def test_the_bare_array_has_no_label_and_no_mount_point() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "left")
        assert app.draft.spec.filesystem.type == "none"
        assert (app.draft.spec.filesystem.label, app.draft.spec.filesystem.mountpoint) == ("", "")
        await press(pilot, "right")
        assert app.draft.spec.filesystem.mountpoint == "/srv/data"

    in_app(app, walk)


def test_a_size_without_a_unit_is_refused() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *["down"] * 4, "right", "down", "down", "ctrl+u", "5", "enter")
        assert app.place.name == "options"
        assert "'5' has no unit" in shown(app)

    in_app(app, walk)


def test_a_name_in_use_is_refused() -> None:
    machine = machines.machine(
        machines.four_disks().disks, [machines.running_array(name="data", path="/dev/md/data")]
    )
    app = open_app(machine, "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert app.place.name == "options"
        assert "/dev/md127" in shown(app)

    in_app(app, walk)


def test_answers_are_still_there_after_going_on_and_back() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "9", *["down"] * 4, "right", "down", "right", "enter")
        assert app.place.name == "review"
        await press(pilot, "escape")
        assert app.place.name == "options"
        assert app.draft.spec.name == "data9"
        assert "[whole disk]" in shown(app)

    in_app(app, walk)


def test_rare_options_are_hidden_until_they_are_asked_for_or_were_answered() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        assert "Metadata" not in shown(app)
        await press(pilot, *["down"] * 5)
        assert app.focused is app.screen.query_one("#name"), "hidden fields are left out"
        await press(pilot, "up", "space")
        assert "Metadata" in shown(app)
        await press(pilot, "space")
        assert "Metadata" not in shown(app)
        app.draft = app.draft.with_spec(metadata="1.0")
        app.go("options")
        await settle(pilot)
        assert "[1.0]" in shown(app)

    in_app(app, walk)


def test_what_is_typed_before_the_fields_are_there_ends_up_in_the_first() -> None:
    world = PretendWorld(machines.four_disks())
    read = threading.Event()

    class Slow(PretendWorld):
        def machine(self) -> Machine:
            assert read.wait(10)
            return world.machine()

    app = open_app(Slow(machines.four_disks()), "options", draft=raid5())

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await drain(pilot)
            for key in "xyz":
                app.post_message(events.Key(key, key))
            read.set()
            await settle(pilot)
            assert app.draft.spec.name == "dataxyz"

    asyncio.run(run())


def with_lvm() -> Machine:
    """The home NAS with lvm2."""
    made = machines.four_disks()
    return msgspec.structs.replace(made, tools={**made.tools, "lvm": "2.03.16"})


def group() -> Draft:
    return answers(*SERIALS, backend=Backend.LVM, level="raid5")


@LOOKS
def test_a_volume_group_is_asked_for_what_lvm_lets_one_choose(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(with_lvm(), "options", console=look == "console", draft=group())
    assert picture(snap_compare, app, look, [*["down"] * 4, "right", *["down"] * 3])


def test_the_stripe_size_that_is_typed_is_planned() -> None:
    app = open_app(with_lvm(), "options", draft=group())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *["down"] * 4, "right", *["down"] * 3, "ctrl+u", *"48KiB", "enter")
        assert app.place.name == "options"
        assert "a stripe size of 49.2 KB (48.0 KiB) is not possible" in " ".join(shown(app).split())
        await press(pilot, "ctrl+u", *"256KiB", "enter")
        assert app.place.name == "review"
        assert app.draft.spec.chunk == 256 * 1024

    in_app(app, walk)


def with_btrfs() -> Machine:
    """The home NAS with btrfs-progs."""
    made = machines.four_disks()
    return msgspec.structs.replace(made, tools={**made.tools, "mkfs.btrfs": "6.2", "btrfs": "6.2"})


def over_disks() -> Draft:
    return answers(*SERIALS, backend=Backend.BTRFS, level="raid1").fitting()


@LOOKS
def test_a_btrfs_is_asked_for_no_filesystem_and_for_the_profile_of_its_metadata(
    snap_compare: SnapCompare, look: str
) -> None:
    app = open_app(with_btrfs(), "options", console=look == "console", draft=over_disks())
    assert picture(snap_compare, app, look, [*["down"] * 2, "right", *["down"] * 3])


def test_the_name_of_a_btrfs_is_its_label_and_its_metadata_can_be_chosen() -> None:
    app = open_app(with_btrfs(), "options", draft=over_disks())

    async def walk(pilot: Pilot[int]) -> None:
        assert not app.query("#filesystem, #label")
        await press(pilot, "ctrl+u", *"photos", *["down"] * 2, "right", *["down"] * 3, "right", "enter")
        assert app.place.name == "review"
        spec = app.draft.spec
        assert (spec.filesystem.type, spec.filesystem.label) == ("btrfs", "photos")
        assert (spec.filesystem.mountpoint, spec.metadata) == ("/srv/photos", "raid1c3")

    in_app(app, walk)


def test_the_filesystem_that_was_chosen_comes_back_with_another_backend() -> None:
    chosen = answers(*SERIALS, level="raid5").with_filesystem(type="xfs")
    own = chosen.with_spec(backend=Backend.BTRFS, level="raid1", metadata="raid1c3").fitting()
    assert own.spec.filesystem.type == "btrfs"
    back = own.with_spec(backend=Backend.MDADM, level="raid5").fitting()
    assert (back.spec.filesystem.type, back.spec.metadata) == ("xfs", None)


def pool() -> Draft:
    members = tuple(machines.disk(number).serial for number in (1, 2, 3))
    return answers(*members).with_spec(backend=Backend.ZFS, level="raidz1").fitting()


def test_the_options_of_a_pool_are_its_own_and_those_that_are_wrong_are_refused() -> None:
    app = open_app(machines.many_disks(), "options", draft=pool())

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "Filesystem" not in shown(app)
        app.screen.query_one("#advanced").focus()
        await press(pilot, "space")
        for words in ("[one partition]", "Record size", "[lz4]  zstd   off", "Access times"):
            assert words in shown(app)
        app.screen.query_one("#ashift").focus()
        await press(pilot, "8", "enter")
        await settle(pilot)
        assert "ashift: '8' is not a whole number from 9 to 16" in " ".join(shown(app).split())
        assert app.draft.spec.options == {}
        await press(pilot, "backspace", "1", "3")
        app.screen.query_one("#compression").focus()
        await press(pilot, "right")
        await settle(pilot)
        assert app.draft.spec.options == {"ashift": "13", "compression": "zstd"}

    in_app(app, walk)


def test_over_how_many_arrays_a_volume_is_striped(snap_compare: SnapCompare) -> None:
    six = [machines.disk(number).serial for number in range(1, 7)]
    draft = answers(*six, backend=Backend.LVM_ON_MD, level="raid50", options={"arrays": "2"})
    app = open_app(machines.many_disks(), "options", draft=draft)
    assert picture(snap_compare, app, "80x24", ["up"])


def test_a_number_of_arrays_that_does_not_come_out_even_is_refused() -> None:
    six = [machines.disk(number).serial for number in range(1, 7)]
    draft = answers(*six, backend=Backend.LVM_ON_MD, level="raid50", options={"arrays": "4"})
    app = open_app(machines.many_disks(), "options", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert app.place.name == "options"
        assert "6 disks cannot be divided evenly among 4 arrays" in " ".join(shown(app).split())

    in_app(app, walk)
