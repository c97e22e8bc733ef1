"""Plan the self-tests of disks through smartd's own configuration (smartd.conf(5), -s): short weekly, long monthly.

Tests of the second and every further disk are delayed, so that not all disks of an array are slow at once.
"""

from typing import Final

from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import DropLine, EnsureLine, Plan, Run, fix_step
from raidtui.model.procedure import SelfTests
from raidtui.model.system import SmartdConf
from raidtui.model.text import harmless
from raidtui.plan.of_computer import plan_of_computer
from raidtui.steps.files import LINE_IN, LINE_NOT_IN

SCAN: Final = "DEVICESCAN"
SCHEDULE: Final = "-s (S/../../6/02:001|L/../01/./03:003)"
"""Short: Saturdays at 2, an hour later for each further disk. Long: on the first of a month at 3, three hours later."""
_OWN: Final = f" {SCHEDULE} # self-tests by raidtui"
_SERVICE: Final = "smartd.service"  # on Debian another name of smartmontools.service


def make_self_tests(order: SelfTests, machine: Machine, *, seed: str) -> Plan:
    """Plan the change of smartd's configuration.

    Raises:
        Refused: it is so already, is not known, or the administrator's own directives would change their meaning.
    """
    conf = machine.system.smartd
    if conf is None:
        raise Refused(
            "smartd is not installed (package smartmontools), or its configuration could not be read"
        )
    old = _scan(conf)
    new = _with(old, conf) if order.on else _without(old, conf)
    steps = [
        fix_step(
            id="smartd",
            title=f"Let smartd start self-tests: {conf.file}"
            if order.on
            else f"Let smartd start none: {conf.file}",
            reason="A long self-test reads the whole disk, and finds what no program has read for years."
            if order.on
            else "What the administrator wrote stays.",
            actions=(DropLine(path=conf.file, line=old), EnsureLine(path=conf.file, line=new)),
            after=(LINE_IN.of(conf.file, new), LINE_NOT_IN.of(conf.file, old)),
            undo=(DropLine(path=conf.file, line=new), EnsureLine(path=conf.file, line=old)),
            undo_note="the line is as it was",
        )
    ]
    if machine.system.systemd:
        restart = Run(argv=("systemctl", "try-restart", _SERVICE), ok=(0, 1, 5))
        steps.append(
            fix_step(
                id="restart",
                title="Restart smartd",
                reason="It reads its configuration when it starts.",
                actions=(restart,),
                undo=(restart,),
                undo_note="it is restarted with the old line",
            )
        )
    return plan_of_computer("self-tests", steps, machine, seed=seed)


def _scan(conf: SmartdConf) -> str:
    found = [line for line in conf.lines if line.split()[0] == SCAN]
    if len(found) != 1:
        count = "no line" if not found else f"{len(found)} lines"
        raise Refused(f"{conf.file} has {count} {SCAN}: add {SCHEDULE!r} to the lines of the disks there")
    if conf.lines[-1] != found[0]:
        # smartd ignores what follows the line; it would be read when the line moves to the end.
        raise Refused(f"{conf.file} has directives after {SCAN}, which smartd ignores; remove them first")
    if found[0].endswith("\\"):
        raise Refused(f"the line {SCAN} in {conf.file} is continued on the next one; join them first")
    return found[0]


def _with(old: str, conf: SmartdConf) -> str:
    if old.endswith(_OWN):
        raise Refused("smartd starts self-tests already, as raidtui set it")
    if " -s " in f"{old} ":
        raise Refused(f"{conf.file} has a schedule of self-tests already: {harmless(old)}")
    if "#" in old:
        raise Refused(
            f"the line {SCAN} in {conf.file} ends in a comment; move that to a line of its own first"
        )
    return f"{old}{_OWN}"


def _without(old: str, conf: SmartdConf) -> str:
    if not old.endswith(_OWN):
        raise Refused(f"raidtui has set no self-tests in {conf.file}")
    return old.removesuffix(_OWN)
