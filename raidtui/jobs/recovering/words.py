"""What a trial found, in words."""

import shlex
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from raidtui.model.recovery import Recovery, Tried
from raidtui.model.text import count_of, harmless, listed


def seen(tried: Tried) -> str:
    """What was seen of a candidate, in a few words."""
    if not tried.mounted:
        return _not_mounted(tried)
    parts = [f"{tried.contents}, {count_of(tried.files, 'file')}", *_bad(tried), *_blind(tried)]
    return ", ".join(parts)


def verdict(tried: Tried) -> str:
    """One line about a candidate: "clean, 41,203 files, newest 2026-11-02"."""
    if not tried.mounted:
        return _not_mounted(tried) if tried.found else f"NOTHING: {_not_mounted(tried)}"
    bad = list(_bad(tried))
    checked = None if tried.blind and tried.clean else tried.clean
    clean = {True: "clean", False: "ERRORS", None: "not checked"}[checked]
    clean = "REPAIRED on the overlay" if tried.repaired else clean
    parts = [
        "DAMAGED" if bad else clean,
        f"{tried.contents}",
        f"{'' if tried.counted_all else 'more than '}{count_of(tried.files, 'file')}",
    ]
    if tried.newest:
        parts.append(f"newest {datetime.fromtimestamp(tried.newest, UTC):%Y-%m-%d %H:%M}")
    parts += [*bad, *_blind(tried), *_by_copy(tried)]
    if tried.sampled and not tried.odd:
        parts.append(f"{tried.sampled} sampled, all readable")
    if tried.fsck:
        parts.append(f"fsck: {tried.fsck}")
    elif bad:
        parts.append(
            {True: "fsck finds no error", False: "fsck finds ERRORS", None: "not checked by fsck"}[
                tried.clean
            ]
        )
    return ", ".join(parts)


def _bad(tried: Tried) -> Iterator[str]:
    """What is wrong with the files of a candidate."""
    if tried.unreadable:
        yield f"{tried.unreadable:,} UNREADABLE"
    if tried.odd:
        yield f"{tried.odd} of {tried.sampled} sampled are NOT WHAT THEIR NAMES SAY"


def _blind(tried: Tried) -> Iterator[str]:
    if tried.blind:
        yield "checksums NOT LOOKED AT: files may be wrong"


def _by_copy(tried: Tried) -> Iterator[str]:
    if tried.by_copy:
        yield "by a copy of its superblock"
    if tried.pool_repaired:
        yield "with a REPAIRED COPY of the thin pool's metadata"


def _not_mounted(tried: Tried) -> str:
    if tried.found:
        return (
            f"NOT MOUNTED: {tried.contents}, {count_of(tried.files, 'file')} can be copied out; none was read"
        )
    return tried.problem or f"{tried.contents}, which raidtui does not look into"


def copy_words(unit: str, number: int) -> str:
    """The command that copies the files of a candidate out that is not mounted."""
    return shlex.join(["raidtui", "recover", harmless(unit), "--mount", str(number), "--copy-to"]) + " FOLDER"


def _written(found: Recovery) -> str:
    """What the trial wrote to the members, as a sentence."""
    if found.md_wrote:
        return "Nothing was written to the members, except md's superblocks when the array was stopped."
    return "The members were not written."


def still_stopped(found: Recovery, *, by: str = "'raidtui care'") -> str:
    """What was stopped for the trial and is not started again, as sentences; empty if nothing is.

    Args:
        by: what says how it is started.
    """
    if not found.stopped:
        return ""
    it = "them" if len(found.stopped) > 1 else "it"
    return harmless(f"Still stopped: {listed(found.stopped)}. {by} says how to start {it} again.")


def nothing_found(found: Recovery) -> Iterator[str]:
    """What it means that no candidate has files, in lines."""
    if found.apart:
        yield harmless(
            f"SEVERAL ARRAYS: these are members of {listed(found.apart)}, and no volume group was found on them together. "
            f"They are as they were. Look at each array by itself: raidtui recover {shlex.quote(found.apart[0])}"
        )
        return
    if found.tried and found.startable(found.tried[0]):
        yield f"EMPTY: number 1 is what the superblocks say, and no way gives files. {_written(found)}"
        return
    if any(one.repaired and one.mounted for one in found.tried):
        yield harmless(
            f"NOTHING LEFT: what is on {found.name} was repaired on the overlay, and no file is in it. The part that was overwritten "
            f"had its folders. {_written(found)}"
        )
        yield "What is still there in pieces, only a recovery service may find: give it copies of the disks (ddrescue)."
        return
    if not found.tried:
        yield "UNKNOWN: nothing on these members says how they belong together, so no way could be tried. They are as they were."
    elif not all(one.known for one in found.tried):
        yield "UNKNOWN: raidtui cannot look into all of these. The members are as they were."
        return
    else:
        yield harmless(
            f"NOT THIS WAY: no order of these members gives files of {found.name}. They are as they were."
        )
    if not found.unit:
        yield "If they were not all in one array, name the disks of each by themselves (--disks)."
    yield "Do not create the array again. Copies of the disks (ddrescue) can go to a recovery service."


def result_lines(found: Recovery) -> Iterator[str]:
    """What was found, and what is stopped since, for people."""
    yield from _found_lines(found)
    if stopped := still_stopped(found):
        yield stopped


def _found_lines(found: Recovery) -> Iterator[str]:
    if found.copied_to:
        yield harmless(f"{found.copied:,} files are in {found.copied_to}. {_written(found)}")
        return
    if found.mounted_at:
        yield harmless(f"The files are at {found.mounted_at}, read-only. Copy them to another disk.")
        yield "When you are done: raidtui recover --clean"
        return
    good = [one for one in found.tried if one.found or found.startable(one)]
    for number, one in enumerate(good, 1):
        yield harmless(f"{number}. {verdict(one)}")
        yield harmless(f"   {one.candidate.words}")
    for nothing, ways in Counter(map(verdict, () if good else found.tried)).items():
        yield harmless(f"{nothing} (in {count_of(ways, 'way')})")
    if not good:
        yield from nothing_found(found)
        return
    if (alike := max(map(found.alike, good))) > 1:
        yield f"CAREFUL: {alike} of these look right, and only one is. Open large files of each before you trust one."
    if not good[0].mounted:
        yield f"{_written(found)} Copy to an empty folder: {copy_words(found.name, 1)}"
        return
    if good[0].found and good[0].repaired:
        yield (
            "NOT ALL: files and folders of the part that was overwritten are missing. Folders that have lost theirs are in "
            "lost+found, with a number as name."
        )
    if good[0].pool_repaired:
        yield "Copy the files away before anything writes to the thin pool. Then see 'Metadata check and repair' in lvmthin(7)."
    if good[0].found:
        yield f"{_written(found)} To copy the files of number 1 away, add: --mount 1"
    else:
        yield from nothing_found(found)
    if found.restorable(good[0]) and not found.images:
        yield "Where LVM does not find the volume, restore the metadata with which number 1 was found: add --for-real 1"
        return
    array = found.array_of(good[0]) if found.startable(good[0]) else None
    if array is None or found.images:
        return
    if array.moved:
        yield f"To write into the superblocks where the data of {harmless(listed(array.moved))} begins, and start it so, add: --for-real 1"
    elif not all(one.source for one in array.shape.slots):
        yield "To start it as number 1 was tried, from these members and by force, add: --for-real 1"
