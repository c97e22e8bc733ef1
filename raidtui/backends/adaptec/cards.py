"""Read the Adaptec cards of this computer with arcconf."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.adaptec.adapters import (
    adapter_in,
    cache_down,
    defunct_counted,
    volumes_counted,
    without_battery,
)
from raidtui.backends.adaptec.answer import Line, before
from raidtui.backends.adaptec.drives import drives_in
from raidtui.backends.adaptec.tools import ask_tool
from raidtui.backends.adaptec.volumes import operations_in, volumes_in
from raidtui.backends.cards.asking import NoAnswer
from raidtui.backends.cards.records import Adapter, Drive, DriveState, Volume, VolumeState
from raidtui.machine.ask import Ask
from raidtui.model.errors import StepFailed
from raidtui.model.text import count_of

_CONTROLLER: Final = re.compile(r"controller #(\d{1,3})", re.IGNORECASE | re.ASCII)
_NO_VOLUMES: Final = re.compile(r"no logical (?:devices|drives) .*", re.IGNORECASE)
_NO_DRIVES: Final = re.compile(r"no physical (?:devices|drives) .*", re.IGNORECASE)
_VOLUMES: Final = re.compile(r"(?:array|logical (?:device|drive)) information", re.IGNORECASE)
_PASSES_ON: Final = "HBA"
_LOST: Final = frozenset({DriveState.FAILED, DriveState.OFFLINE, DriveState.MISSING})
_DOWN: Final = frozenset({VolumeState.DEGRADED, VolumeState.PARTLY_DEGRADED, VolumeState.OFFLINE})


def read_adapters(tool: str, _cards: int, ask: Ask) -> list[Adapter]:
    """Read every controller that ``tool`` sees. Raises StepFailed: it does not answer."""
    version = ask_tool(tool, ["GETVERSION"], ask)
    numbers = (found[1] for one in version if not one.name and (found := _CONTROLLER.fullmatch(one.value)))
    return [read_adapter(tool, int(number), ask) for number in dict.fromkeys(numbers)]


def read_adapter(tool: str, number: int, ask: Ask, *, tasks: bool = True) -> Adapter:
    """Read one controller.

    Args:
        tasks: whether to read the tasks of its virtual drives too, which may take seconds.

    Raises:
        NoAnswer: the tool cannot be run, hangs or crashes.
    """
    (about, of_volumes, of_drives), (problem, no_volumes, no_drives) = _parts(tool, number, ask)
    doing, no_tasks = _lines(tool, ["GETSTATUS", str(number)], ask) if tasks else ((), "")
    drives = list(drives_in(of_drives))
    found = list(
        volumes_in(
            of_volumes,
            drives,
            operations_in(doing),
            always=without_battery(about),
            down=cache_down(about),
        )
    )
    volumes = [volume for volume, _ in found]
    gone = [drive for _, missing in found for drive in missing]
    every = (*(one for one in drives if one.slot not in {other.slot for other in gone}), *gone)
    adapter = adapter_in(about, number=number, tool=tool)
    doubts = (
        ()
        if _passes_on(adapter, of_volumes)
        else (
            no_volumes
            or _not_understood(of_volumes, volumes, _NO_VOLUMES, f"{tool} GETCONFIG {number} LD")
            or _too_few(about, volumes, tool),
            _misjudged(about, volumes, tool),
        )
    )
    problems = (
        problem,
        *doubts,
        no_drives or _not_understood(of_drives, drives, _NO_DRIVES, f"{tool} GETCONFIG {number} PD"),
        no_tasks,
    )
    return replace(
        adapter,
        volumes=tuple(volumes),
        drives=every,
        faults=(*adapter.faults, *_unlisted(about, every)),
        problems=tuple(filter(None, problems)),
        unread=next(filter(None, doubts), ""),
    )


def _parts(tool: str, number: int, ask: Ask) -> tuple[list[tuple[Line, ...]], list[str]]:
    """Read the lines about the controller, its virtual drives and its drives, each with an error or an empty text.

    One command reads everything; if it fails, each part is read separately, so that one bad part does not hide the rest.
    """
    whole, trouble = _lines(tool, ["GETCONFIG", str(number), "AL"], ask)
    if not trouble:
        return [before(whole, _VOLUMES), whole, whole], ["", "", ""]
    parts = [_lines(tool, ["GETCONFIG", str(number), part], ask) for part in ("AD", "LD", "PD")]
    return [lines for lines, _ in parts], [problem for _, problem in parts]


def _lines(tool: str, words: Sequence[str], ask: Ask) -> tuple[tuple[Line, ...], str]:
    """The lines of an answer, and the error if there is no valid one."""
    try:
        return ask_tool(tool, words, ask), ""
    except NoAnswer:
        raise
    except StepFailed as error:
        return (), str(error)


def _passes_on(adapter: Adapter, of_volumes: Sequence[Line]) -> bool:
    """Whether the controller has no virtual drives: as an HBA it refuses to list them, or leaves their part out."""
    listed = any(_VOLUMES.fullmatch(one.value) for one in of_volumes if not one.name)
    return adapter.personality.upper() == _PASSES_ON and not listed


def _not_understood(
    lines: Sequence[Line], found: Sequence[Volume | Drive], none: re.Pattern[str], command: str
) -> str:
    """The error if an answer lists nothing without saying that there is none."""
    if found or any(none.fullmatch(one.value) for one in lines if not one.name):
        return ""
    return f"{command}: its answer cannot be understood"


def _too_few(about: Sequence[Line], volumes: Sequence[Volume], tool: str) -> str:
    """The error if the controller counts other virtual drives than those read: one may be missed."""
    counted = volumes_counted(about)
    if counted is None or counted[0] == len(volumes):
        return ""
    return f"{tool}: the card reports {counted[0]} virtual drives but describes {len(volumes)}"


def _misjudged(about: Sequence[Line], volumes: Sequence[Volume], tool: str) -> str:
    """The error if the controller counts more failed or degraded virtual drives than were read as such."""
    counted, seen = volumes_counted(about), sum(one.state in _DOWN for one in volumes)
    if counted is None or counted[1] <= seen:
        return ""
    return f"{tool}: the card reports {counted[1]} failed or degraded virtual drives but describes {seen} as such"


def _unlisted(about: Sequence[Line], drives: Sequence[Drive]) -> tuple[str, ...]:
    """In words that follow "but": failed drives that the controller counts and does not describe as such."""
    more = defunct_counted(about) - sum(one.state in _LOST for one in drives)
    return (f"the card counts {count_of(more, 'failed drive')} more than it lists",) if more > 0 else ()
