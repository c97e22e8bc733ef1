"""How a replacement ends: what shows that the units are whole again, and what the old disk forgets. Pure."""

from collections.abc import Iterator, Sequence

from raidtui.backends.replacing import Need
from raidtui.model.machine import Disk
from raidtui.model.plan import Step, member_step, waiting_step
from raidtui.model.text import listed
from raidtui.steps.pieces import called


def names_of(needs: Sequence[Need]) -> list[str]:
    """The units in words, each once: several of its members may be on the disk."""
    return list(dict.fromkeys(need.name for need in needs))


def prove(needs: Sequence[Need]) -> Iterator[Step]:
    """Check that redundancy is whole, except of a unit that lacks another member still, or has none."""
    proven = [need for need in needs if not need.lacks]
    for bare, step, *verbs in (
        (False, "prove", "has full redundancy", "have full redundancy"),
        (True, "complete", "lacks no member", "lack no member"),
    ):
        if some := [need for need in proven if need.bare is bare]:
            names = names_of(some)
            yield waiting_step(
                id=step,
                title=f"Check that {listed(names)} {verbs[len(names) > 1]}",
                reason=" ".join(dict.fromkeys(need.proven_by for need in some)),
                actions=(),
                after=tuple(dict.fromkeys(need.proof() for need in some)),
            )


def forget(old: Disk | None, needs: Sequence[Need]) -> list[Step]:
    """Make the old disk forget that it was a member, except of a unit that lacks another member still."""
    there = [need for need in needs if need.old and not need.lacks]
    if old is None or not there:
        return []
    ways = [need.forget() for need in there]
    names = listed(names_of(there))
    return [
        member_step(
            id="forget",
            title=f"Erase the superblock{'s' if len(there) > 1 else ''} of {called(old)}",
            reason="It still says that it is a member, and a later boot could start the old copy.",
            actions=(
                *(run for runs, _ in ways for run in runs),
                *(run for need in there for run in need.zeroed),
            ),
            destroys=(f"{called(old)}: the old copy of its part of {names}",),
            before=tuple(need.out() for need in there),
            after=tuple(check for _, check in ways),
            holds=(old.stable_path,),
        )
    ]
