"""The spec as a TOML file: read strictly, with the line in every error, and written so that it reads back equal."""

from collections.abc import Mapping
from typing import Any, Final

import tomli_w

from raidtui.backends import registry
from raidtui.backends.fix import OF_COMPUTER, OF_DISKS
from raidtui.backends.level_words import level_words
from raidtui.backends.options import OF_BACKENDS, Option, not_an_option
from raidtui.model.alert_file import settings_of
from raidtui.model.errors import BadInput
from raidtui.model.spec import USUAL, Backend, FilesystemSpec, Spec
from raidtui.model.text import as_number, harmless
from raidtui.model.tomlfile import Section, read_toml
from raidtui.model.units import spell_size

FILESYSTEM_TYPES: Final = ("ext4", "xfs", "btrfs", "none")

_KEYS: Final = (
    "name",
    "backend",
    "level",
    "members",
    "spares",
    "sizes",
    "chunk",
    "layout",
    "metadata",
    "consistency",
    "partition",
    "reserve",
    "slice",
    "persistent",
    "fixes",
    "alerts",
    "filesystem",
)
_FILESYSTEM_KEYS: Final = ("type", "label", "mountpoint")


def read_spec(text: str, *, origin: str) -> Spec:
    """Parse a spec.

    Args:
        origin: the name of the file, for errors.

    Raises:
        BadInput: not TOML, an unknown key or word, a size without a unit or a value of the wrong type; the message
            gives the line and the nearest right word, if any.
    """
    own = _own_keys()
    top = read_toml(
        text, origin=origin, what="spec", keys={"": (*_KEYS, *own), "filesystem": _FILESYSTEM_KEYS}
    )
    for key in ("name", "level"):
        if key not in top:
            raise BadInput(f"{harmless(origin)}: the key {key!r} is missing; a spec needs a name and a level")
    sized = "sizes" in top
    if sized and "members" in top:
        raise top.refusal(
            "sizes", "sizes replace members, to calculate without disks; leave one of the two out"
        )
    backend = Backend(top.word("backend", tuple(registry.FOLDERS), USUAL, registry.ALSO))
    known, levels = registry.backend(backend), level_words([backend])
    if foreign := [key for key in (*OF_BACKENDS, *own) if key in top and key not in known.options]:
        raise top.refusal(foreign[0], not_an_option(foreign[0], backend))
    return Spec(
        name=top.string("name"),
        backend=backend,
        level=top.word("level", levels.known, also=levels.also, instead=levels.instead),
        members=top.strings("members"),
        spares=() if sized else top.strings("spares"),
        sizes=top.sizes("sizes"),
        spare_sizes=top.sizes("spares") if sized else (),
        chunk=top.size("chunk"),
        layout=top.string("layout") if "layout" in top else None,
        metadata=top.word("metadata", _words_of("metadata", known.options)) or None,
        consistency=top.word("consistency", _words_of("consistency", known.options)) or None,
        partition=top.yes_or_no("partition"),
        reserve=top.size("reserve"),
        slice=top.size("slice"),
        persistent=top.yes_or_no("persistent") is not False,
        fixes=top.words("fixes", fix_words(), ()) if "fixes" in top else (),
        alerts=_alerts(top),
        filesystem=_filesystem(top, own=known.own_filesystem),
        options=_own_options(top, known.options),
    )


def fix_words() -> tuple[str, ...]:
    """Every fix that a spec can name: those of disks, of the backends, then of the computer."""
    own = (word for name in registry.FOLDERS for word in registry.fixes(name))
    return tuple(dict.fromkeys((*OF_DISKS, *own, *OF_COMPUTER)))


def _alerts(top: Section) -> tuple[str, ...]:
    """Where the fix alerts sends."""
    ways = top.strings("alerts")
    if ways and "alerts" not in top.strings("fixes"):
        raise top.refusal("alerts", 'alerts are set by a fix; add fixes = ["alerts"]')
    try:
        settings_of(ways)
    except BadInput as error:
        raise top.refusal("alerts", str(error)) from None
    return ways


def write_spec(spec: Spec) -> str:
    """Write ``spec`` as TOML that `read_spec` reads back equal, without the keys left to their defaults."""
    spares: list[str] | None = list(spec.spares)
    if spec.sizes:
        spares = [spell_size(size) for size in spec.spare_sizes]
    values: dict[str, Any] = {
        "name": spec.name,
        "backend": spec.backend.value,
        "level": spec.level,
        "members": None if spec.sizes else list(spec.members),
        "sizes": [spell_size(size) for size in spec.sizes] or None,
        "spares": spares or None,
        "chunk": None if spec.chunk is None else spell_size(spec.chunk),
        "layout": spec.layout,
        "metadata": spec.metadata,
        "consistency": spec.consistency,
        "partition": spec.partition,
        "reserve": None if spec.reserve is None else spell_size(spec.reserve),
        "slice": None if spec.slice is None else spell_size(spec.slice),
        "persistent": None if spec.persistent else False,
        "fixes": list(spec.fixes) or None,
        "alerts": list(spec.alerts) or None,
        **{
            key: number if (number := as_number(value)) is not None else value
            for key, value in spec.options.items()
        },
    }
    if spec.filesystem != FilesystemSpec():
        filesystem = spec.filesystem
        kind = registry.backend(spec.backend).own_filesystem or filesystem.type
        keys = {"type": kind, "label": filesystem.label, "mountpoint": filesystem.mountpoint}
        values["filesystem"] = {key: value for key, value in keys.items() if value}
    return tomli_w.dumps({key: value for key, value in values.items() if value is not None})


def _own_keys() -> tuple[str, ...]:
    """Every key specific to a single backend."""
    every = (registry.backend(name).options.items() for name in registry.FOLDERS)
    return tuple(dict.fromkeys(key for some in every for key, one in some if one.own is not None))


def _own_options(top: Section, options: Mapping[str, Option]) -> dict[str, str]:
    """The backend's own options that the file gives, each in canonical spelling."""
    found = {}
    for key, option in options.items():
        if option.own is not None and key in top:
            try:
                found[key] = option.own(top.text(key))
            except BadInput as error:
                raise top.refusal(key, f"{key}: {error}") from error
    return found


def _words_of(key: str, options: Mapping[str, Option]) -> tuple[str, ...]:
    """The words that a spec may give for an option; empty if the backend has no such option."""
    option = options.get(key)
    return () if option is None else option.taken or option.choices


def _filesystem(top: Section, *, own: str) -> FilesystemSpec:
    """Read the section; a backend that is its ``own`` filesystem needs no type."""
    if "filesystem" not in top:
        return FilesystemSpec()
    if own:
        section = top.section("filesystem", 'mountpoint = "/srv/tank"')
        return FilesystemSpec(
            type=section.word("type", (own,), own),
            label=section.string("label"),
            mountpoint=section.string("mountpoint"),
        )
    section = top.section("filesystem", 'type = "ext4"')
    if "type" not in section:
        types = " or ".join(f'"{word}"' for word in FILESYSTEM_TYPES)
        raise top.refusal("filesystem", f"the filesystem has no type; write type = {types}")
    if section.string("type") == Backend.ZFS:
        raise section.refusal("type", f'ZFS is a backend: write backend = "{Backend.ZFS}" above [filesystem]')
    return FilesystemSpec(
        type=section.word("type", FILESYSTEM_TYPES),
        label=section.string("label"),
        mountpoint=section.string("mountpoint"),
    )
