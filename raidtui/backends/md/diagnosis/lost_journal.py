"""An array that lost its write journal takes no write any more: it runs without one."""

from raidtui.backends.md.array_names import address
from raidtui.backends.md.procedures.care_conditions import ARRAY_AT, ARRAY_CONSISTENCY
from raidtui.backends.md.states import lacks_journal, name_of, shown_name
from raidtui.model.errors import Refused
from raidtui.model.finding import Remedy
from raidtui.model.machine import Array
from raidtui.model.plan import Run, Step, order_step
from raidtui.model.procedure import RemoveFailed, WithoutJournal
from raidtui.model.text import harmless
from raidtui.steps.filesystems import NOT_MOUNTED

_POLICY = "resync"  # the stripes that were written when power failed are synced at the next start


def advise(array: Array) -> Remedy:
    """What is done first about a lost write journal: md keeps the policy while the journal, failed, is in the array."""
    if failed := _failed(array):
        return Remedy(
            text=f"write nothing more, and remove its journal {failed}, which has failed; then it can run without one",
            procedure=RemoveFailed(unit=array.uuid),
        )
    return Remedy(
        text="unmount it, let it run without a journal, and check its filesystem before you mount it: the last writes failed",
        procedure=WithoutJournal(unit=array.uuid),
    )


def without_journal(array: Array) -> Step:
    """The step that takes the policy back; nothing but the kernel's file does.

    ``mdadm --grow`` refuses, and after ``--assemble --force`` the policy is the same (mdadm 4.2, kernel 6.1).

    Raises:
        Refused: it has its journal, or a failed one is still in it.
    """
    name = shown_name(array)
    if not lacks_journal(array):
        raise Refused(f"{name} has not lost a write journal")
    if failed := _failed(array):
        raise Refused(f"its journal {failed} has failed and is still in {name}; remove it first")
    return order_step(
        id="policy",
        title=f"Let {name} run without its write journal",
        reason="Until then md lets every write fail. After a power cut it is synced whole, as there is no journal then.",
        actions=(
            Run(
                argv=("tee", f"{array.md_folder}/consistency_policy"),
                input=f"{_POLICY}\n",
            ),
        ),
        before=(ARRAY_AT.of(array.uuid, array.node), NOT_MOUNTED.of(address(array))),
        after=(ARRAY_CONSISTENCY.of(array.uuid, _POLICY),),
        undo_note="it stays without a journal",
    )


def _failed(array: Array) -> str:
    return next(
        (harmless(name_of(one)) for one in array.members if {"journal", "faulty"} <= {*one.state}), ""
    )
