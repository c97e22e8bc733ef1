"""Flush the caches of devices, where the program that wrote to them does not."""

from raidtui.model.plan import Run


def flushed(*devices: str) -> Run:
    """Flush the caches of ``devices`` and what is below them.

    LVM flushes nothing: what a journal calls done would be undone by a power cut, in the metadata or in data that it copied.
    """
    return Run(argv=("sync", *devices), timeout_seconds=600)
