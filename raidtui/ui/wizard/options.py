"""Options: the array's name, its filesystem and mount point, and how it lies on the disks."""

from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Label, Static

from raidtui.model.errors import BadInput, CannotBuild, RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.spec import Spec
from raidtui.model.units import both, parse_size, spell_size
from raidtui.ui.shell.lifecycle import while_there
from raidtui.ui.shell.page import Page
from raidtui.ui.widgets.choice import Choice
from raidtui.ui.widgets.field import Field
from raidtui.ui.wizard.estimates import chosen_facts, filled

PARTITION, WHOLE = "one partition", "whole disk"

# id of the field → its label, and what it means
FIELDS = {
    "name": (
        "Name",
        "The array becomes /dev/md/NAME, now and after every reboot. Use letters, digits, dots, dashes and underscores.",
    ),
    "filesystem": (
        "Filesystem",
        "ext4: can shrink and grow. xfs: large files, many at once; grows, never shrinks. btrfs: snapshots and "
        "checksums. none: the bare array. Each is aligned to chunk and stripe width.",
    ),
    "mountpoint": (
        "Mount at",
        "An absolute path. The directory is created if it does not exist. Empty: /srv/NAME.",
    ),
    "label": ("Label", "The filesystem's label; ext4 takes 16 bytes, xfs 12. Empty: the array's name."),
    "advanced": (
        "Advanced",
        "How members lie on the disks, where the superblock goes, and what is resynced after a crash. The defaults "
        "suit most arrays. Space or the arrow keys show them.",
    ),
    "members": (
        "Members are",
        "A GPT partition marks each disk as Linux RAID for every tool and firmware, and leaves a reserve at "
        "the end. Whole disks lose no space, but some firmware writes a partition table over them.",
    ),
    "reserve": (
        "Reserve",
        "Left free at the end of each partition, so that a replacement disk may be slightly smaller. Example: 100MiB.",
    ),
    "metadata": (
        "Metadata",
        "Where md keeps its superblock. 1.2: near the start, the default. 1.0: at the end, for booting from it.",
    ),
    "consistency": (
        "After a crash",
        "bitmap: resyncs only what was being written, minutes. resync: everything, hours. ppl: a partial "
        "parity log that closes the RAID5 write hole; writes are up to 40 % slower. none: nothing to resync.",
    ),
}
ADVANCED = ("members", "reserve", "metadata", "consistency")
HIDDEN, SHOWN = "hidden", "shown"


class OptionsScreen(Page):
    """Every answer has a default; whatever is typed is kept in the draft at once."""

    STEP = "options"
    TITLE = "Options"
    HELP = """
    Everything here has a default that suits most arrays. The line below the fields explains the marked one.

    raidtui writes the array's UUID into mdadm.conf, rebuilds the initramfs where this system has one and checks
    that the entry is in it. The filesystem is mounted from fstab by its UUID, with nofail: a missing array never
    keeps the computer from booting.
    """
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", "Field", key_display="↑↓", tooltip="Another field"),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("enter", "next", "Review", tooltip="Show the plan"),
    ]

    def body(self) -> ComposeResult:
        yield Vertical(id="fields")
        yield Static(id="comes-back")
        yield Static(id="detail")

    def machine_changed(self, machine: Machine) -> None:
        whole = filled(self.tui.draft.spec)
        fields = self.query_one("#fields")
        if not fields.children:
            entries = [_field(name, control) for name, control in self._controls(whole).items()]
            self.run_worker(self._begin(entries, machine), group="begin", exclusive=True)
        elif self.query("#name"):
            self._tell(machine)

    async def _begin(self, entries: list[Horizontal], machine: Machine) -> None:
        with self.app.batch_update():  # no field is seen before it takes keys
            await self.query_one("#fields").mount_all(entries)
            self._fold()
            self._tell(machine)
            self.keys_from_now(self.query_one("#name"))

    def _fold(self) -> None:
        """Show the advanced fields, or hide them."""
        for name in ADVANCED:
            self.query_one(f"#field-{name}").display = self.query_one("#advanced", Choice).value == SHOWN

    def _controls(self, whole: Spec) -> dict[str, Widget]:
        from raidtui.backends.md.levels import LEVELS

        level, files, spec = LEVELS[whole.level], whole.filesystem, self.tui.draft.spec
        answered = spec.partition is False or any((spec.reserve is not None, spec.metadata, spec.consistency))
        return {
            "name": Field(whole.name, id="name", max_length=64),
            "filesystem": Choice(("ext4", "xfs", "btrfs", "none"), files.type, id="filesystem"),
            "mountpoint": Field(files.mountpoint, id="mountpoint", max_length=1024),
            "label": Field(files.label, id="label", max_length=255),
            "advanced": Choice((HIDDEN, SHOWN), SHOWN if answered else HIDDEN, id="advanced"),
            "members": Choice((PARTITION, WHOLE), PARTITION if whole.partition else WHOLE, id="members"),
            "reserve": Field(_reserve_left_open(whole), id="reserve", max_length=20),
            "metadata": Choice(("1.2", "1.0"), whole.metadata or "1.2", id="metadata"),
            "consistency": Choice(
                level.consistencies, whole.consistency or level.consistencies[0], id="consistency"
            ),
        }

    @on(Field.Changed)
    @on(Choice.Changed)
    @while_there
    def _answered(self, event: Field.Changed | Choice.Changed) -> None:
        draft, machine = self.tui.draft, self.tui.machine
        name, value = event.control.id or "", event.control.value
        if name == "name":
            files = draft.spec.filesystem
            if files.label == draft.spec.name:
                draft = draft.with_filesystem(label=value)
                self._set("label", value)
            if files.mountpoint == f"/srv/{draft.spec.name}":
                draft = draft.with_filesystem(mountpoint=f"/srv/{value}")
                self._set("mountpoint", f"/srv/{value}")
            draft = draft.with_spec(name=value)
        elif name == "advanced":
            self._fold()
        elif name == "members":
            whole = value == WHOLE
            draft = draft.with_spec(partition=not whole, reserve=None if whole else self._reserve())
        elif name == "reserve":
            # A field reports its first value too; the default is left open in the spec.
            if value != _reserve_left_open(draft.spec):
                draft = draft.with_spec(reserve=self._reserve())
        elif name in {"metadata", "consistency"}:
            draft = draft.with_spec(**{name: value})
        elif name == "filesystem":
            # The bare array has neither label nor mount point; what was typed stays in the fields.
            bare = value == "none"
            draft = draft.with_filesystem(
                type=value,
                label="" if bare else self.query_one("#label", Field).value,
                mountpoint="" if bare else self.query_one("#mountpoint", Field).value,
            )
        elif name in {"label", "mountpoint"}:
            draft = draft.with_filesystem(**{name: value.strip()})
        self.tui.draft = draft
        self.say("")
        if machine:
            self._tell(machine)

    def _reserve(self) -> int | None:
        """What is typed as the reserve; the default where that cannot be read."""
        try:
            return parse_size(self.query_one("#reserve", Field).value)
        except BadInput:
            return None

    def _set(self, name: str, value: str) -> None:
        field = self.query_one(f"#{name}", Field)
        with field.prevent(Field.Changed):
            field.value = value
            field.cursor_position = len(value)

    def _tell(self, machine: Machine) -> None:
        spec = self.tui.draft.spec
        for name in ("label", "mountpoint"):
            self.query_one(f"#{name}").disabled = spec.filesystem.type == "none"
        self.query_one("#reserve").disabled = spec.partition is False
        try:
            usable = both(chosen_facts(spec, machine).array_bytes)
        except CannotBuild as refusal:
            usable = f"not possible: {refusal}"
        except RaidtuiError as error:
            self.complain(str(error))
            usable = ""
        if usable:
            self.head(f"Options of the {spec.level} of {len(spec.members)} members: {usable}")
        self.query_one("#comes-back", Static).update(Content(_comes_back(spec, machine)))

    def on_descendant_focus(self) -> None:
        name = (self.focused.id or "") if self.focused else ""
        if name in FIELDS:
            self.query_one("#detail", Static).update(Content(FIELDS[name][1]))

    @while_there
    def on_input_submitted(self) -> None:
        self.action_next()

    def action_next(self) -> None:
        """Go to the plan, if the answers allow one."""
        from raidtui.plan.build import make_plan

        draft, machine = self.tui.draft, self.tui.machine
        if machine is None or not self.query("#reserve"):
            return
        try:
            if draft.spec.partition is not False:
                parse_size(self.query_one("#reserve", Field).value)
        except RaidtuiError as error:
            self.complain(str(error))
            return
        self.work_out(
            lambda: make_plan(draft.spec, machine, seed=draft.seed), lambda _: self.tui.go("review")
        )


def _field(name: str, control: Widget) -> Horizontal:
    return Horizontal(Label(FIELDS[name][0]), control, id=f"field-{name}", classes="field")


def _comes_back(spec: Spec, machine: Machine) -> str:
    """What brings the array back at boot, on this system."""
    system = machine.system
    steps = [f"{system.mdadm_conf} gets its UUID"]
    if system.initramfs:
        steps.append(f"{system.initramfs} rebuilds the initramfs")
    if spec.filesystem.type != "none":
        steps.append("fstab mounts the filesystem by UUID with nofail")
    return f"After a reboot the array starts automatically: {', '.join(steps)}."


def _reserve_left_open(spec: Spec) -> str:
    """What the field shows until somebody changes it; of whole disks what partitions would leave free."""
    return spell_size(filled(replace(spec, partition=True)).reserve or 0)
