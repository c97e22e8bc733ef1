"""Optional fixes in a plan: each is named in the spec and resolves one hazard.

They apply to the computer and its disks, not to one array, so a teardown leaves them in place.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from raidtui.backends.fix import OF_DISKS, Fix
from raidtui.backends.registry import fixes as fixes_of
from raidtui.backends.specfile import fix_words
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Hazard, Severity, Step
from raidtui.model.spec import Spec
from raidtui.plan.patience import can_be_named, limit_step, timeout_step


def offered(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> tuple[str, ...]:
    """The fixes available for these hazards, in the order of the hazards."""
    return tuple(_possible(spec, hazards, machine))


def settled(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> tuple[Hazard, ...]:
    """The hazards with those that ``spec`` fixes lowered to INFO, so that they need no acknowledgment."""
    every = tuple(hazards)
    fixed = {one.id: word for word, (one, _) in _possible(spec, every, machine).items() if word in spec.fixes}
    return tuple(
        msgspec.structs.replace(
            one, severity=Severity.INFO, advice=f"This plan fixes it in the step fix-{fixed[one.id]}"
        )
        if one.id in fixed
        else one
        for one in every
    )


def fix_steps(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> list[Step]:
    """The steps for the fixes in ``spec``; a fix without its hazard makes no step.

    Raises:
        BadInput: an unknown fix.
    """
    known = fix_words()
    if unknown := [word for word in spec.fixes if word not in known]:
        raise BadInput(f"{unknown[0]!r} is not a known fix; valid values: {', '.join(known)}")
    possible = _possible(spec, hazards, machine)
    found = (possible[word] for word in dict.fromkeys(spec.fixes) if word in possible)
    return [fix.step(hazard, machine) for hazard, fix in found]


def _possible(spec: Spec, hazards: Iterable[Hazard], machine: Machine) -> dict[str, tuple[Hazard, Fix]]:
    """The hazards that can be fixed on this computer, with their fixes, by name of the fix."""
    known = {**_OF_DISKS, **fixes_of(spec.backend)}
    by_hazard = {fix.hazard: (word, fix) for word, fix in known.items()}
    seen = ((one, *by_hazard[one.id]) for one in hazards if one.id in by_hazard)
    return {word: (one, fix) for one, word, fix in seen if fix.can(one, machine)}


def _can_be_named(hazard: Hazard, machine: Machine) -> bool:
    return can_be_named(_disks(hazard, machine), machine)


def _disks(hazard: Hazard, machine: Machine) -> list[Disk]:
    return [machine.disk(one) for one in hazard.disks]


_OF_DISKS: Final = dict(
    zip(
        OF_DISKS,
        (
            Fix(
                hazard="erc-off",
                step=lambda hazard, machine: limit_step(_disks(hazard, machine)),
                can=_can_be_named,
            ),
            Fix(
                hazard="erc-missing",
                step=lambda hazard, machine: timeout_step(_disks(hazard, machine)),
                can=_can_be_named,
            ),
        ),
        strict=True,
    )
)
