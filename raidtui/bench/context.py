"""Where and how a benchmark was made: what must be equal, or said, when its result is compared with another."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from raidtui.bench.below import read_queue
from raidtui.bench.target import Target
from raidtui.model.journal import BenchRequest
from raidtui.model.machine import Machine
from raidtui.model.result import Context, MeasuredDisk

_TOOLS: Final = ("fio", "mdadm")
_GOVERNOR: Final = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def context_of(
    target: Target,
    machine: Machine,
    request: BenchRequest,
    *,
    engine: str,
    argv: Sequence[str],
    filename: str,
    during_sync: str,
) -> Context:
    """The context of a result.

    Args:
        argv: the fio command of one run; the test file, which had no name, is called by one in the target here.
        filename: what ``argv`` calls the file.
        during_sync: what an array below did at any time while measuring.
    """
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
        array=target.array,
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
        tools={name: machine.tools[name] for name in _TOOLS if name in machine.tools},
        engine=engine,
        direct=True,
        size_bytes=request.size_bytes,
        seconds=request.seconds,
        runs=request.runs,
        scheduler=_scheduler(target),
        governor=_governor(),
        fill_percent=target.fill_percent,
        during_sync=during_sync,
        job_text=shlex.join(argv).replace(filename, shlex.quote(shown)),
    )


def _scheduler(target: Target) -> str:
    """The I/O scheduler of the disks: ``none``, ``mq-deadline``; several where they differ."""
    chosen = set()
    for name in target.below.disks:
        words = read_queue(name, "scheduler").split()
        chosen.add(next((word.strip("[]") for word in words if word.startswith("[")), " ".join(words)))
    return ", ".join(sorted(chosen))


def _governor() -> str:
    try:
        return _GOVERNOR.read_text().strip()
    except OSError:
        return ""  # a virtual machine, or a processor that decides alone
