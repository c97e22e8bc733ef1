"""What a trial found, in words."""

from datetime import UTC, datetime

from raidtui.model.recovery import Tried


def seen(tried: Tried) -> str:
    """What was seen of a candidate, in a few words."""
    if not tried.mounted:
        return _nothing(tried)
    return f"{tried.contents}, {tried.files:,} files{f', {tried.unreadable:,} unreadable' if tried.unreadable else ''}"


def verdict(tried: Tried) -> str:
    """One line about a candidate: "clean, 41,203 files, newest 2026-11-02"."""
    if not tried.mounted:
        return f"NOTHING: {_nothing(tried)}"
    clean = {True: "clean", False: "ERRORS", None: "not checked"}[tried.clean]
    parts = [clean, f"{tried.contents}", f"{'' if tried.counted_all else 'more than '}{tried.files:,} files"]
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


def _nothing(tried: Tried) -> str:
    return tried.problem or f"{tried.contents}, which raidtui does not look into"
