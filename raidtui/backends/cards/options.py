"""The options of a virtual drive, described; each family uses some of them."""

from collections.abc import Mapping, Sequence
from typing import Final

from raidtui.backends.cards.levels import SPANNED
from raidtui.backends.options import WHOLE, Option, one_of
from raidtui.model.errors import BadInput
from raidtui.model.units import spell_size

BACKGROUND, FAST, FULL = "background", "fast", "full"
ON, OFF, UNCHANGED = "on", "off", "unchanged"
WRITE_BACK, WRITE_THROUGH = "write-back", "write-through"
MOST_SPANS: Final = 8  # "Max Spans Per VD" of the recorded cards


def _spans(text: str) -> str:
    if text.isascii() and text.isdigit() and 2 <= int(text) <= MOST_SPANS:
        return str(int(text))
    raise BadInput(f"{text!r} is not a number of spans; write 2 to {MOST_SPANS}")


def switch(label: str, words: str, *choices: str, levels: tuple[str, ...] = ()) -> Option:
    """An option with these words, the first as default; limited to ``levels``, if any are given."""
    own = one_of(*choices)
    return Option(label=label, help=words, choices=choices, own=own, default=choices[0], levels=levels)


SPANS: Final = Option(
    label="Spans",
    help="How many spans the drives form, each with its own parity. Strips go to the spans in turn. More spans "
    "rebuild sooner and cost more space. The number of drives must be a multiple of it.",
    own=_spans,
    default="2",
    levels=tuple(SPANNED),
    of_level=True,
)
WRITE_POLICY: Final = switch(
    "Write policy",
    "write-back: a write is done once it is in the card's cache; the card writes through while its battery is "
    "bad. write-through: once it is on the drives.",
    WRITE_BACK,
    WRITE_THROUGH,
)
READ_AHEAD: Final = switch(
    "Read-ahead",
    "on: the card reads ahead of sequential reads. off: better for small random reads.",
    ON,
    OFF,
)
DRIVE_CACHE: Final = switch(
    "Drive cache",
    "off: what the card reports as written survives a power cut. on: faster, but a power cut loses what is in "
    "the drive cache.",
    OFF,
    ON,
)
INITIALIZATION: Final = switch(
    "Initialize",
    "background: usable at once; the card writes parity in the background, for RAID5 from 5 drives and RAID6 from "
    "7. fast: zeros both ends first. full: zeros all of it, which takes hours.",
    BACKGROUND,
    FAST,
    FULL,
)


def card_options(strips: Sequence[int], default: int) -> dict[str, Option]:
    """The options of every card, by spec key, in the order shown; ``strips`` and ``default`` in bytes."""
    return {
        "name": Option(
            label="Name",
            help="The name of the virtual drive, at most 8 letters, digits, dashes and underscores. raidtui appends "
            "a dash and 6 hexadecimal digits, by which it finds the virtual drive.",
        ),
        "partition": Option(
            label="Members are",
            help="A card takes whole drives and makes no partitions.",
            choices=(WHOLE,),
        ),
        "chunk": Option(
            label="Strip",
            help=f"How much goes to one drive before the next; {spell_size(default)} is the card's default. Larger "
            "for large files, smaller for databases.",
            choices=tuple(map(spell_size, strips)),
        ),
        "spares": Option(
            label="Hot spares",
            help="Drives that take over by themselves when a member of this virtual drive fails.",
        ),
    }


def own_defaults(options: Mapping[str, Option], level: str, chosen: Mapping[str, str]) -> dict[str, str]:
    """The own options of ``level``: their defaults, overridden by those ``chosen``."""
    usual = {key: one.default for key, one in options.items() if one.default and one.is_of(level)}
    return {**usual, **chosen}


def caches_words(chosen: Mapping[str, str]) -> str:
    """The cache settings of a virtual drive, in a sentence."""
    back = chosen.get("write_policy") != WRITE_THROUGH
    policy = "Write-back as long as the battery is good" if back else "Write-through"
    ahead = "read-ahead" if chosen.get("read_ahead") != OFF else "no read-ahead"
    return f"{policy}, {ahead}, drive cache {chosen.get('drive_cache') or OFF}."
