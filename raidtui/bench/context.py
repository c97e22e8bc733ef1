"""Where and how a benchmark ran: what must be equal, or pointed out, when results are compared."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from raidtui.backends.registry import find_builder
from raidtui.bench.device_stack import read_queue
from raidtui.bench.rows import Until
from raidtui.bench.steady import WINDOW
from raidtui.bench.target import Target
from raidtui.machine.tools import version_of
from raidtui.model.machine import Machine
from raidtui.model.result import Context, MeasuredDisk
from raidtui.model.units import spell_size

_WHOLE: Final = 0.97  # of a disk: a partition this large, with a reserve at the end, counts as the whole disk
_GOVERNOR: Final = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def context_of(
    target: Target,
    machine: Machine,
    *,
    engine: str,
    argv: Sequence[str],
    filename: str,
    during_sync: str,
    programs: dict[str, str],
    temperatures: dict[str, tuple[float, float]] | None = None,
) -> Context:
    """The context of a result.

    Args:
        argv: the fio command of one run; the result shows it with a name for the unnamed test file.
        filename: the name of that file in ``argv``.
        during_sync: what a unit on the same disks did at any time during the measurement.
        programs: programs that measured instead of fio, with their versions.
        temperatures: by kernel name of the disk: at the start and the highest, in degrees Celsius.
    """
    settings = target.settings
    names = {disk.name: disk.identity or disk.path for disk in target.disks}
    system = machine.system
    shown = target.path if target.is_device else f"{target.path}/raidtui-bench.tmp"
    return Context(
        hostname=system.hostname,
        kernel=system.kernel,
        processor_model=system.processor_model,
        processors=system.processors,
        memory_bytes=system.memory_bytes,
        target=target.path,
        filesystem=target.filesystem,
        mount_options=target.mount_options,
        device=target.device,
        unit=target.nearest.made if target.nearest is not None else None,
        card=target.nearest.made.card if target.nearest is not None else "",
        disks=tuple(
            MeasuredDisk(
                identity=disk.identity,
                model=disk.model,
                size_bytes=disk.size_bytes,
                rotational=disk.rotational,
                transport=disk.transport,
                smart=disk.smart,
            )
            for disk in target.disks
        ),
        tools=_tools(target, machine) | programs,
        engine=engine,
        direct=settings.direct,
        size_bytes=settings.size_bytes,
        seconds=0 if programs or all(row.until is Until.END for row in settings.rows) else settings.seconds,
        runs=WINDOW if settings.profile.steady else settings.runs,  # those that are kept
        scheduler=_scheduler(target),
        governor=governor(),
        fill_percent=target.fill_percent,
        during_sync=during_sync,
        compat=settings.compat,
        temperatures={names.get(name, name): found for name, found in (temperatures or {}).items()},
        slice=_slice(target, machine),
        job_text=shlex.join(argv).replace(filename, shlex.quote(shown)),
    )


def _tools(target: Target, machine: Machine) -> dict[str, str]:
    """The versions of fio and of the tools that made the unit."""
    maker = find_builder(target.unit.backend) if target.unit is not None else None
    makers = maker.tools if maker is not None else ()
    here = [tool.name for tool in makers if tool.name in machine.tools]
    return {"fio": version_of("fio"), **{name: machine.tools[name] or version_of(name) for name in here}}


def _slice(target: Target, machine: Machine) -> str:
    """The part of each disk that the unit uses: ``32GiB from 1MiB``; empty if that is all of it, or unknown."""
    if target.unit is None:
        return ""
    paths = {member.path for member in target.unit.members}
    found = {
        (spell_size(partition.size_bytes), spell_size(partition.start_bytes))
        for disk in machine.disks
        for partition in disk.partitions
        if partition.path in paths and partition.size_bytes < _WHOLE * disk.size_bytes
    }
    return ", ".join(f"{size} from {start}" for size, start in sorted(found))


def _scheduler(target: Target) -> str:
    """The I/O scheduler of the disks: ``none``, ``mq-deadline``; several if they differ."""
    chosen = set()
    for name in target.below.disks:
        words = read_queue(name, "scheduler").split()
        chosen.add(next((word.strip("[]") for word in words if word.startswith("[")), " ".join(words)))
    return ", ".join(sorted(chosen))


def governor() -> str:
    """The frequency governor of the processor; empty if there is none."""
    try:
        return _GOVERNOR.read_text().strip()
    except OSError:
        return ""  # a virtual machine, or a processor that scales by itself
