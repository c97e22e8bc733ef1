"""Conditions on a virtual drive that the card changes to more drives or to another level."""

from raidtui.backends.cards.conditions import OfCard, VolumeIs, find_volume
from raidtui.backends.cards.records import Adapter, VolumeState
from raidtui.model.answer import Answer, no, yes
from raidtui.model.chance import share
from raidtui.model.plan import Check

_OTHERS = frozenset(
    {"rebuild", "copyback", "consistency check", "initialization", "background initialization"}
)


class Changing(OfCard):
    """The card changes the virtual drive, or has done so: it has the expected level and slots."""

    says = "{card} changes the virtual drive {about}, or has done so, to level, bytes and slots: {expect}"
    can_be_lost = True

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        volume = find_volume(adapter, rest)
        if volume is None:
            return no(f"there is no virtual drive {rest}")
        doing = next((one for one in volume.operations if one.what not in _OTHERS), None)
        if doing is not None:
            return yes(f"{rest}: {doing.what} {share(doing.fraction)}")
        level, _, slots = check.expect.split(" ")
        if volume.level == level and sorted(volume.slots) == sorted(slots.split(",")):
            return yes(f"{rest} is {level} of {len(volume.slots)} drives")
        return no(f"{rest} is {volume.level} of {len(volume.slots)} drives, and nothing changes it")


class VolumeGrown(VolumeIs):
    """The virtual drive has the expected level, slots and bytes, is optimal, and nothing changes it."""

    says = "{card} is done with the virtual drive {about}, by level, bytes and slots: {expect}"
    runs_unit = False
    off_by = 0.01  # the card may keep a little

    def judge(self, check: Check, adapter: Adapter, rest: str) -> Answer:
        volume = find_volume(adapter, rest)
        if volume is None:
            return no(f"there is no virtual drive {rest}")
        if volume.operations:
            doing = volume.operations[0]
            return no(f"{rest}: {doing.what} {share(doing.fraction)}")
        if volume.state is not VolumeState.OPTIMAL:
            return no(f"{rest} is {volume.state} ({volume.state_word})")
        return super().judge(check, adapter, rest)
