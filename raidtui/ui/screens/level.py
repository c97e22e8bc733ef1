"""Level: what every level of md gives on the chosen disks, side by side."""

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.spec import Spec
from raidtui.model.text import harmless
from raidtui.model.units import KIB, MIB, both, decimal, duration, spell_size
from raidtui.ui.figures import level_offers
from raidtui.ui.list_page import ListPage
from raidtui.ui.widgets.rows import Column, Row, Rows

if TYPE_CHECKING:
    from raidtui.advice.geometry import Geometry
    from raidtui.advice.levels import Offer

COLUMNS = (
    Column("Level", 6),
    Column("Layout", 6),
    Column("Usable", 19, right=True),
    Column("Survives", 8),
    Column("2nd fatal", 9, right=True),
    Column("Overhead", 8, right=True),
    Column("What it is", 15, share=1),
)
CHUNKS = tuple(size * KIB for size in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096))
DEFAULT_CHUNK = 512 * KIB


class LevelScreen(ListPage):
    """All levels and layouts for these members and spares; the highlighted one is explained below."""

    STEP = "level"
    COLUMNS = COLUMNS
    TITLE = "Choose the level"
    HELP = """
    Every level that md knows, with what it gives on exactly these disks. Usable is what the array will hold,
    exact to the sector. Survives is how many members may fail, whichever they are. "2nd fatal" is how likely a
    second failed member, any of them, takes everything with it. Overhead is the part of the disks' space that
    pays for it, spares included.

    A level that these disks cannot make says why. No level replaces a backup: none survives a fire, a thief, a
    wrong command or a file deleted by mistake.

    The chunk is how much goes to one disk before the next has its turn; 512 KiB, the default, suits most uses.
    The layout says where parity or copies lie. For RAID10: n2 keeps two copies side by side, f2 keeps the second
    in the far half of the disks (reads as fast as RAID0, writes slower), o2 a stripe below.

    A spare belongs to no data until a member fails; then it takes that member's place by itself.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "chunk(-1)", "Chunk", key_display="←→", tooltip="A smaller or larger chunk"),
        Binding("right", "chunk(1)", "Larger chunk", show=False),
        Binding("l", "layout", "Layout", tooltip="The next layout of this level"),
        Binding(
            "plus",
            "spares(1)",
            "Spares",
            key_display="+-",
            tooltip="One spare more or fewer, of the last disks",
        ),
        Binding("minus", "spares(-1)", "Fewer spares", show=False),
        Binding("enter", "next", "Options", tooltip="Take this level and go on to the options"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._offers: dict[str, Offer] = {}
        self._disks: dict[str, Disk] = {}

    def machine_changed(self, machine: Machine) -> None:
        spec = self.tui.draft.spec
        try:
            self._disks = {word: machine.disk(word) for word in spec.disks}
            self._offers = {_key(offer): offer for offer in level_offers(spec, machine)}
        except RaidtuiError as error:
            self.complain(str(error))
            return
        table = self.table
        table.show(
            [_row(key, offer) for key, offer in self._offers.items()],
            highlight=table.key or self._first(spec),
        )
        self._remember(table.key)
        if not self.focused:
            table.focus_list()
        self._tell()

    def _first(self, spec: Spec) -> str:
        """The row to start from: the level chosen before, else the usual one for so many disks."""
        count = len(spec.members)
        level = spec.level or ("raid1" if count == 2 else "raid5" if count < 5 else "raid6")
        return f"raid10 {spec.layout or 'n2'}" if level == "raid10" else level

    def on_rows_moved(self, message: Rows.Moved) -> None:
        self._remember(message.key)
        self._tell()

    def _remember(self, key: str) -> None:
        """Keep the highlighted level in the draft, so that going back and forth loses nothing."""
        offer = self._offers.get(key)
        if offer is None or offer.refused:
            return
        spec = self.tui.draft.spec
        layout = (
            offer.layout if offer.level == "raid10" else spec.layout if spec.level == offer.level else None
        )
        self.tui.draft = self.tui.draft.with_spec(level=offer.level, layout=layout)

    def _tell(self) -> None:
        spec = self.tui.draft.spec
        spares = f", {len(spec.spares)} spare{'s'[: len(spec.spares) != 1]}" if spec.spares else ""
        chunk = f", chunk {spell_size(spec.chunk or DEFAULT_CHUNK)}"
        self.head(f"Level for {len(spec.members)} members{spares}{chunk}")
        offer = self._offers.get(self.table.key)
        if offer:
            self.explain(self._explain(offer))

    def _explain(self, offer: "Offer") -> Content:
        from raidtui.advice.levels import LEVELS

        level = LEVELS[offer.level]
        name = f"{offer.level} {offer.layout if offer.level == 'raid10' else ''}".strip()
        lines: list[tuple[str, str] | str] = [(f"{name}: ", "bold"), level.explains + "\n"]
        if offer.refused or offer.geometry is None or offer.survival is None:
            lines.append((f"Not with these disks: {offer.refused}", "$text-warning"))
            return Content.assemble(*lines)
        made = offer.geometry
        lines.append(f"Usable {made.array_bytes:,} bytes. Survives {offer.survival.words}.\n")
        lines.append(self._numbers(made) + "\n")
        lines += [f"{line}\n" for line in self._wasted(made)]
        return Content.assemble(*lines)

    def _numbers(self, made: "Geometry") -> str:
        spec = self.tui.draft.spec
        layout = spec.layout if spec.level == made.level and spec.layout else made.layout
        said = [f"layout {layout}"] if layout else []
        if made.chunk_bytes:
            said += [
                f"chunk {spell_size(made.chunk_bytes)}",
                f"full stripe {spell_size(made.stripe_width_bytes)}",
            ]
        said += [f"metadata {made.metadata}", f"data offset {spell_size(made.data_offset_bytes)}"]
        if made.consistency != "none":
            from raidtui.advice.time import sync_range

            rotational = any(disk.rotational for disk in self._disks.values())
            least, most = sync_range(
                made.component_bytes, rotational=rotational, bytes_per_second=None, limit=None
            )
            span = " to ".join(dict.fromkeys((duration(least), duration(most))))
            said.append(f"{made.consistency}; first sync {span}")
        text = ", ".join(said)
        return text[0].upper() + text[1:]

    def _wasted(self, made: "Geometry") -> list[str]:
        """Members of which a good part cannot be used, and why; a few MiB of metadata are not worth a line."""
        named = zip(self.tui.draft.spec.members, made.members, strict=True)
        return [
            f"{self._disks[word].name} {harmless(word)}: {decimal(use.wasted_bytes)} not used: {use.why}"
            for word, use in named
            if use.wasted_bytes > max(300 * MIB, use.size_bytes // 100)
        ]

    # What the keys do.

    def action_chunk(self, step: int) -> None:
        """Take a larger or smaller chunk for the levels that have one."""
        spec = self.tui.draft.spec
        sizes = sorted({*CHUNKS, spec.chunk or DEFAULT_CHUNK})
        place = sizes.index(spec.chunk or DEFAULT_CHUNK) + step
        if 0 <= place < len(sizes):
            self._change(chunk=sizes[place])

    def action_layout(self) -> None:
        """Take the next layout of the highlighted level."""
        from raidtui.advice.levels import LEVELS

        offer = self._offers.get(self.table.key)
        if offer is None or offer.refused or not LEVELS[offer.level].has_layout:
            self.complain("this level has no layout to choose")
            return
        spec = self.tui.draft.spec
        layouts = LEVELS[offer.level].layouts
        if offer.level == "raid10":
            layouts = tuple(word for word in layouts if int(word[1:]) <= len(spec.members))
        now = spec.layout or LEVELS[offer.level].default_layout
        following = layouts[(layouts.index(now) + 1) % len(layouts)] if now in layouts else layouts[0]
        self._change(layout=following)

    def action_spares(self, step: int) -> None:
        """Have the last member stand by as a spare, or call the last spare back."""
        spec = self.tui.draft.spec
        if step > 0 and len(spec.members) > 1:
            self._change(members=spec.members[:-1], spares=(spec.members[-1], *spec.spares))
        elif step < 0 and spec.spares:
            self._change(members=(*spec.members, spec.spares[0]), spares=spec.spares[1:])
        else:
            self.complain(
                "there is no spare to call back" if step < 0 else "the last member cannot be a spare"
            )

    def _change(self, **changes: object) -> None:
        self.tui.draft = self.tui.draft.with_spec(**changes)
        self.say("")
        spec = self.tui.draft.spec
        if self.tui.machine:
            if "layout" in changes and spec.level == "raid10":
                self._offers = {}
                self.table.show([])
            self.machine_changed(self.tui.machine)

    def action_next(self) -> None:
        """On to the options, with the highlighted level."""
        from raidtui.advice.levels import LEVELS

        key = self.table.key
        offer = self._offers.get(key)
        if offer is None:
            return
        if offer.refused:
            self.complain(f"{offer.level} cannot be made of these disks: {offer.refused}")
            return
        self._remember(key)
        level, spec = LEVELS[offer.level], self.tui.draft.spec
        self.tui.draft = self.tui.draft.with_spec(
            chunk=spec.chunk if level.has_chunk else None,
            consistency=spec.consistency if spec.consistency in level.consistencies else None,
        )
        self.tui.go("options")


def _key(offer: "Offer") -> str:
    return f"raid10 {offer.layout}" if offer.level == "raid10" else offer.level


def _row(key: str, offer: "Offer") -> Row:
    from raidtui.advice.levels import LEVELS

    layout = offer.layout if offer.level == "raid10" else ""
    made, survives = offer.geometry, offer.survival
    if made is None or survives is None:
        return Row(key, (offer.level, layout, f"not possible: {offer.refused}"), ("$text-muted",))
    sure = survives.guaranteed
    return Row(
        key,
        (
            offer.level,
            layout,
            both(made.array_bytes),
            f"any {sure}" if sure else "none",
            f"{survives.second_failure_fatal_probability:.0%}",
            f"{offer.overhead:.1%}",
            LEVELS[offer.level].title,
        ),
        ("bold", "", "", "" if sure else "$text-error", "", "", "$text-muted"),
    )
