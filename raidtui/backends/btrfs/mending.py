"""Steps on a mounted Btrfs that its replacement and its other procedures share: convert chunks without a copy, scrub."""

from typing import Final

from raidtui.backends.btrfs.conditions import COMPLETE, REDUNDANT, STATE
from raidtui.model.plan import Run, Step, member_step

LONGEST_SECONDS: Final = 60 * 86400
_UNTIL_IDLE: Final = (
    'btrfs balance resume "$2" 2>/dev/null; '
    'until [ "$(cat "/sys/fs/btrfs/$1/exclusive_operation")" = none ]; do sleep 5; done'
)


def balance(name: str, uuid: str, place: str, profiles: tuple[str, str], *, suffix: str = "") -> Step:
    """Convert the chunks that have another profile, and only these."""
    filters = [
        f"{word}={one},soft" for word, one in zip(("-dconvert", "-mconvert"), profiles, strict=True) if one
    ]
    return member_step(
        id=f"balance{suffix}",
        title=f"Convert the chunks of {name} that have no copy on another disk",
        reason="A degraded mount and the replacement itself leave some. Chunks that are right are not touched.",
        actions=(Run(argv=("btrfs", "balance", "start", *filters, place), timeout_seconds=LONGEST_SECONDS),),
        after=(REDUNDANT.of(uuid),),
    )


def resume(name: str, uuid: str, place: str) -> Step:
    """Resume a balance that is paused, and wait for it."""
    return member_step(
        id="resume",
        title=f"Resume the balance of {name}",
        reason="It continues with the chunks that are left.",
        actions=(wait_for_balance(uuid, place),),
        after=(STATE.of(uuid, COMPLETE),),
        as_long_as="writing what is left of it",
    )


def wait_for_balance(uuid: str, place: str) -> Run:
    """Wait for the balance that runs, if one does; one that is paused is resumed."""
    return Run(argv=("sh", "-c", _UNTIL_IDLE, "sh", uuid, place), timeout_seconds=LONGEST_SECONDS)


def wait_for_replacement(place: str) -> Run:
    """Wait for the replacement that runs, if one does."""
    return Run(argv=("btrfs", "replace", "status", place), timeout_seconds=LONGEST_SECONDS, ok=(0, 1))


def scrub(name: str, place: str, *, suffix: str = "") -> Step:
    """Read every copy, and write those that are wrong again."""
    return member_step(
        id=f"scrub{suffix}",
        title=f"Scrub {name}",
        reason="Only reading every copy shows that each is right. Exit code 3: errors that could not be corrected.",
        actions=(Run(argv=("btrfs", "scrub", "start", "-B", place), timeout_seconds=LONGEST_SECONDS),),
        as_long_as="reading the whole filesystem",
    )
