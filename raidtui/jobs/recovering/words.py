"""What a trial found, in words."""

import shlex
from datetime import UTC, datetime

from raidtui.model.recovery import Tried
from raidtui.model.text import count_of, harmless


def seen(tried: Tried) -> str:
    """What was seen of a candidate, in a few words."""
    if not tried.mounted:
        return _not_mounted(tried)
    return f"{tried.contents}, {count_of(tried.files, 'file')}{f', {tried.unreadable:,} unreadable' if tried.unreadable else ''}"


def verdict(tried: Tried) -> str:
    """One line about a candidate: "clean, 41,203 files, newest 2026-11-02"."""
    if not tried.mounted:
        return _not_mounted(tried) if tried.found else f"NOTHING: {_not_mounted(tried)}"
    clean = {True: "clean", False: "ERRORS", None: "not checked"}[tried.clean]
    parts = [
        clean,
        f"{tried.contents}",
        f"{'' if tried.counted_all else 'more than '}{count_of(tried.files, 'file')}",
    ]
    if tried.newest:
        parts.append(f"newest {datetime.fromtimestamp(tried.newest, UTC):%Y-%m-%d %H:%M}")
    if tried.unreadable:
        parts.append(f"{tried.unreadable:,} UNREADABLE")
    if tried.odd:
        parts.append(f"{tried.odd} of {tried.sampled} sampled have WRONG contents")
    elif tried.sampled:
        parts.append(f"{tried.sampled} sampled, all readable")
    if tried.fsck:
        parts.append(f"fsck: {tried.fsck}")
    return ", ".join(parts)


def _not_mounted(tried: Tried) -> str:
    if tried.found:
        return (
            f"NOT MOUNTED: {tried.contents}, {count_of(tried.files, 'file')} can be copied out; none was read"
        )
    return tried.problem or f"{tried.contents}, which raidtui does not look into"


def copy_words(unit: str, number: int) -> str:
    """The command that copies the files of a candidate out that is not mounted."""
    return shlex.join(["raidtui", "recover", harmless(unit), "--mount", str(number), "--copy-to"]) + " FOLDER"
