"""In which ways a lost filesystem may be mounted read-only. Reads members and images; writes nothing.

First as its superblocks say, with a copy in place of one that is lost, and degraded without what is missing. Then with
what the kernel does for a damaged one (btrfs(5), rescue=), and from older roots, which stay until they are overwritten.
Where nothing mounts, btrfs-restore(8) copies files out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from raidtui.backends.btrfs.signs import TYPE
from raidtui.backends.btrfs.superblock import Root, Superblock, has_log, parse, placed, roots_in, with_root
from raidtui.backends.recovering import Recoverer, Wanted, read_source
from raidtui.machine.ask import ask_patiently
from raidtui.machine.contents.btrfs_superblock import COPIES, PLACE, SIZE
from raidtui.machine.tools import find_tool
from raidtui.model.errors import Refused
from raidtui.model.recovery import Candidate, Patch, Shape, Slot, Source, Way
from raidtui.model.text import harmless, listed
from raidtui.model.uuids import same_uuid

_FIND_ROOT: Final = "btrfs-find-root"
_ROOT_LINE: Final = re.compile(r"Well block (\d{1,19})\(gen: (\d{1,19}) level: (\d{1,2})\)")
_MOST_ROOTS: Final = 8  # older ones that are tried
_SURE: Final = 1000
_NO_LOG: Final = "ro,rescue=nologreplay"


class _Member(NamedTuple):
    """What a source has."""

    source: Source
    block: bytes  # its newest superblock, as it is in the first place
    told: Superblock
    restored: bool  # from a copy


class _Btrfs(Recoverer):
    """See `raidtui.backends.recovering.Recoverer`."""

    register = ("btrfs", "device", "scan")

    def by_superblocks(self, sources: Sequence[Source], wanted: Wanted) -> tuple[Candidate, ...]:
        return tuple(
            _candidate(here, _Way("", "ro", _newest(here).told.generation), _SURE + len(here))
            for here in _sets(_meant(sources, wanted))
        )

    def by_order(self, sources: Sequence[Source], wanted: Wanted, most: int) -> tuple[Candidate, ...]:
        found = (one for here in _sets(_meant(sources, wanted)) for one in _rescued(here, _SURE))
        return tuple(islice(found, most))

    def members(self, sources: Sequence[Source]) -> Mapping[str, str]:
        return {
            name: f"devid {one.told.devid}, generation {one.told.generation:,}{', first superblock lost' if one.restored else ''}"
            for name, one in _read(sources).items()
        }


RECOVERER: Final = _Btrfs()


def _read(sources: Sequence[Source]) -> dict[str, _Member]:
    """The newest superblock of each source that has one."""
    found = {}
    for source in sources:
        every = []
        for place in (PLACE, *COPIES):
            block = read_source(source, place, SIZE)
            if (told := parse(block, place)) is not None:
                every.append(_Member(source, placed(block, PLACE), told, place != PLACE))
        if every:
            # Of one generation that in the first place.
            found[source.name] = max(every, key=lambda one: (one.told.generation, not one.restored))
    return found


def _meant(sources: Sequence[Source], wanted: Wanted) -> dict[int, _Member]:
    """The members of the filesystem that is meant, by devid. Raises Refused: there are several."""
    every = tuple(_read(sources).values())
    named = [one for one in every if wanted.unit == one.told.label or same_uuid(wanted.unit, one.told.uuid)]
    every = tuple(named) or every
    if len({one.told.uuid for one in every}) > 1:
        names = listed(sorted({harmless(one.told.label or one.told.uuid) for one in every}))
        raise Refused(f"these disks have superblocks of several filesystems: {names}; name those of one")
    found: dict[int, _Member] = {}
    for one in sorted(every, key=lambda one: one.told.generation):  # of clones the newest
        found[one.told.devid] = one
    return dict(sorted(found.items()))


def _sets(here: Mapping[int, _Member]) -> Iterator[Mapping[int, _Member]]:
    """All members; then those without any that missed the last writes."""
    if not here:
        return
    yield here
    newest = max(one.told.generation for one in here.values())
    current = {devid: one for devid, one in here.items() if one.told.generation == newest}
    if len(current) < len(here):
        yield current


def _newest(here: Mapping[int, _Member]) -> _Member:
    return max(here.values(), key=lambda one: one.told.generation)


class _Way(NamedTuple):
    """A way to mount what does not mount as it is."""

    words: str
    options: str
    generation: int  # that the files have, as far as it is known
    root: Root | None = None  # from this one, and without a log
    check: tuple[str, ...] = ()
    unmounted: bool = False

    def past(self, words: str, options: str) -> "_Way":
        """The same root, mounted with other options."""
        return self._replace(words=f"{self.words}{words}", options=options)


def _rescued(here: Mapping[int, _Member], rank: int) -> Iterator[Candidate]:
    """The newest root, then older ones; then whatever can be read without a look at the checksums of data."""
    own = next(roots_in(_newest(here).block))
    now = _Way("", _NO_LOG, own.generation)
    older = [
        _Way(
            f", root of generation {one.generation:,}",
            _NO_LOG,
            one.generation,
            one,
            ("--tree-root", str(one.place)),
        )
        for one in islice(_older(here), _MOST_ROOTS)
    ]
    # A search for another root may find an older one.
    unsure = now._replace(generation=own.generation - 1)
    ways = [
        *(
            [now._replace(words=", without its log", root=own)]
            if any(has_log(one.block) for one in here.values())
            else []
        ),
        now.past(", past damaged trees", f"{_NO_LOG}:ignorebadroots"),
        unsure._replace(check=("--backup",)).past(", a backup root", f"{_NO_LOG}:usebackuproot"),
        *older,
        *(one.past(", past damaged trees and checksums", "ro,rescue=all") for one in (unsure, *older)),
        *(
            one._replace(
                check=("-t", str(one.root.place)) if one.root is not None else (), unmounted=True
            ).past(", copied out without a mount", "")
            for one in (now, *older)
        ),
    ]
    for number, way in enumerate(ways, 1):
        yield _candidate(here, way, rank - number)


def _older(here: Mapping[int, _Member]) -> Iterator[Root]:
    """Roots that are not the newest, the newest of them first: those kept in superblocks, then those that a search finds."""
    newest = _newest(here)
    own = next(roots_in(newest.block))
    kept = {root for one in here.values() for root in roots_in(one.block) if root.generation < own.generation}
    yield from sorted(kept, reverse=True)
    if newest.source.image or find_tool(_FIND_ROOT) is None:
        return
    said = ask_patiently([_FIND_ROOT, newest.source.path]).stdout
    searched = {
        Root(int(generation), int(place), int(level)) for place, generation, level in _ROOT_LINE.findall(said)
    }
    yield from sorted({one for one in searched if one.generation < own.generation} - kept, reverse=True)


def _candidate(here: Mapping[int, _Member], way: _Way, rank: int) -> Candidate:
    """Mount ``here`` in a way."""
    patches = []
    for one in here.values():
        block = with_root(one.block, way.root) if way.root is not None else one.block
        if block and (one.restored or way.root is not None):
            patches.append(Patch(source=one.source.name, offset_bytes=PLACE, content=block))
    newest = _newest(here)
    lacks = newest.told.devices - len(here)
    devids = [devid for devid in range(1, max(newest.told.devices, *here) + 1) if devid not in here]
    gone = f", without devid {listed([str(one) for one in devids])}" if lacks > 0 and devids else ""
    names = " ".join(one.source.name for one in here.values())
    restored = [one.source.name for one in here.values() if one.restored]
    copied = f", superblock of {listed(restored)} from its copy" if restored else ""
    return Candidate(
        way=Way.METADATA,
        words=f"{names}{gone} (generation {newest.told.generation:,}{way.words}{copied})",
        shape=Shape(
            level=TYPE,
            layout=0,
            chunk_bytes=0,
            component_bytes=0,
            slots=tuple(
                Slot(source=one.source.name, size_bytes=one.source.size_bytes) for one in here.values()
            ),
        ),
        events=(way.generation,),
        confirmed=rank,
        filesystem=TYPE,
        options=f"{way.options},degraded" if lacks > 0 and way.options else way.options,
        check=way.check,
        unmounted=way.unmounted,
        patches=tuple(patches),
    )
