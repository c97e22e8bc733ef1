"""The options of a draft: what is asked, with label, help, choices and default; and the draft with an answer.

Does not load Textual.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from raidtui.backends.contract import BackendContract
from raidtui.backends.options import WHOLE, Option, only_whole, own_value
from raidtui.backends.registry import backend
from raidtui.backends.specfile import FILESYSTEM_TYPES
from raidtui.model.spec import Spec
from raidtui.model.units import parse_size, spell_size
from raidtui.ui.wizard.draft import Draft
from raidtui.ui.wizard.estimates import filled

PARTITION = "one partition"

# id of the field → label and help, unless the backend has its own; {noun}: array, volume group
FIELDS = {
    "name": ("Name", "The name of the {noun}. Use letters, digits, dots, dashes and underscores."),
    "filesystem": (
        "Filesystem",
        "ext4: can shrink and grow. xfs: large files, many at once; grows, never shrinks. btrfs: snapshots and "
        "checksums. none: a bare block device. Each is aligned to the stripe width.",
    ),
    "mountpoint": (
        "Mount at",
        "An absolute path. The directory is created if it does not exist. Empty: /srv/NAME.",
    ),
    "label": ("Label", "The filesystem's label; ext4 takes 16 bytes, xfs 12. Empty: the name of the {noun}."),
    "advanced": (
        "Advanced",
        "The other settings of this level. The defaults suit most uses. Space or the arrow keys show them.",
    ),
    "partition": ("Members are", "One GPT partition on each disk, or the whole disk."),
    "reserve": (
        "Reserve",
        "Left free at the end of each partition, so that a replacement disk may be slightly smaller. Example: 100MiB.",
    ),
}
# The options of a backend that have a field here; the others are chosen with disks and level.
ASKED = ("chunk", "metadata", "consistency")
SIZES = ("reserve", "chunk")  # fields in bytes


class Entry(NamedTuple):
    """One option: its name, its current value or default, and what it can be; no ``choices``: a text."""

    name: str
    value: str
    choices: tuple[str, ...] = ()
    longest: int = 20  # characters of a text
    advanced: bool = False


def about(of: BackendContract, name: str) -> tuple[str, str]:
    """The label and help of an option, in the words of the backend if it has any."""
    option = of.options.get(name)
    label, meaning = (option.label, option.help) if option is not None else FIELDS[name]
    return label, meaning.format(noun=of.noun)


def entries(draft: Draft) -> Iterator[Entry]:
    """The options of the level of ``draft``, in the order in which they are asked."""
    spec = draft.spec
    whole, known = filled(spec), backend(spec.backend)
    files, own = whole.filesystem, known.own_filesystem
    yield Entry("name", whole.name, longest=64)
    if not own:
        yield Entry("filesystem", files.type, FILESYSTEM_TYPES)
    yield Entry("mountpoint", files.mountpoint, longest=1024)
    if not own:
        yield Entry("label", files.label, longest=255)
    if not only_whole(known.options):
        kinds = known.options.get("partition")
        words = kinds.choices if kinds is not None and kinds.choices else (PARTITION, WHOLE)
        value = PARTITION if whole.partition else WHOLE
        yield Entry("partition", value if value in words else words[0], words, advanced=True)
        yield Entry("reserve", reserve_left_open(whole), advanced=True)
    for key, option in known.options.items():
        if (entry := _of_level(key, option, whole)) is not None:
            yield entry


def _of_level(key: str, option: Option, whole: Spec) -> Entry | None:
    """The option of a backend, if the level of ``whole`` takes it."""
    level = backend(whole.backend).levels[whole.level]
    value, choices = "", option.choices
    if key == "chunk" and level.has_chunk:
        value = spell_size(whole.chunk or (parse_size(choices[0]) if choices else 0))
        choices = tuple(dict.fromkeys((*choices, value))) if choices else ()
    elif key == "metadata":
        value = whole.metadata or choices[0]
    elif key == "consistency" and level.consistencies:
        choices = level.consistencies
        value = whole.consistency or choices[0]
    elif option.own is not None and option.is_of(whole.level):
        value = whole.options.get(key, "")
        if choices:  # a value from a spec file is added to them
            choices = choices if not value or value in choices else (*choices, value)
            value = value or choices[0]
    else:
        return None
    return Entry(key, value, choices, advanced=True)


def with_answer(draft: Draft, name: str, value: str) -> Draft:
    """``draft`` with ``value`` as the option ``name``; a default is left unset.

    Raises:
        BadInput: it is not valid.
    """
    spec, files = draft.spec, draft.spec.filesystem
    if name == "name":
        if files.label == spec.name:
            draft = draft.with_filesystem(label=value)
        if files.mountpoint == f"/srv/{spec.name}":
            draft = draft.with_filesystem(mountpoint=f"/srv/{value}")
        return draft.with_spec(name=value)
    if name == "filesystem":
        bare = value == "none"
        return draft.with_filesystem(
            type=value,
            label="" if bare else files.label or spec.name,
            mountpoint="" if bare else files.mountpoint or f"/srv/{spec.name}",
        )
    if name in {"label", "mountpoint"}:
        return draft.with_filesystem(**{name: value.strip()})
    if name == "partition":
        whole = value == WHOLE
        return draft.with_spec(partition=not whole, reserve=None if whole else spec.reserve)
    if name == "reserve":
        return draft if value == reserve_left_open(spec) else draft.with_spec(reserve=parse_size(value))
    if name == "chunk":
        usual = spell_size(filled(spec).chunk or 0)
        return draft if value == usual else draft.with_spec(chunk=parse_size(value))
    if name in {"metadata", "consistency"}:
        # The default is left unset: another level may have another one.
        usual = getattr(filled(replace(spec, **{name: None})), name)
        return draft.with_spec(**{name: None if value == usual else value})
    return draft.with_spec(options=own_answers(spec, spec.options | {name: value}))


def own_answers(spec: Spec, typed: dict[str, str]) -> dict[str, str]:
    """The values of the options that only this backend has; without empty ones and defaults.

    Raises:
        BadInput: one is not valid.
    """
    known = backend(spec.backend).options
    found = {key: own_value(key, text.strip(), known) for key, text in typed.items() if text.strip()}
    return {key: value for key, value in found.items() if value != known[key].default}


def reserve_left_open(spec: Spec) -> str:
    """The default of the reserve; for whole disks, that of partitions."""
    return spell_size(filled(replace(spec, partition=True)).reserve or 0)
