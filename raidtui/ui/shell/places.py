"""The places of the app: a name each, and the screen that is made anew whenever somebody goes there."""

import importlib
from typing import TYPE_CHECKING, Final

import msgspec

from raidtui.model.struct import Record

if TYPE_CHECKING:
    from raidtui.ui.shell.page import Page

# name → (module under raidtui.ui, class, what the command palette calls it)
PLACES: Final = {
    "overview": ("care.overview", "OverviewScreen", "Overview: arrays, jobs and results"),
    "disks": ("wizard.disks", "DisksScreen", "Disks: choose the disks of a new array"),
    "level": ("wizard.level", "LevelScreen", "Level: what each level gives"),
    "options": ("wizard.options", "OptionsScreen", "Options: name, filesystem, mount point"),
    "review": ("wizard.review", "ReviewScreen", "Review: the plan, step by step"),
    "confirm": ("wizard.confirm", "ConfirmScreen", "Confirm: confirm the disks to be erased"),
    "build": ("care.build", "BuildScreen", "Build: watch a job"),
    "benchmark": ("bench.benchmark", "BenchmarkScreen", "Benchmark: measure an array"),
    "sweep": ("bench.sweep_screen", "SweepScreen", "Sweep: many arrays measured in one go"),
    "compare": ("results.compare_screen", "CompareScreen", "Compare: results side by side"),
    "teardown": ("wizard.teardown", "TeardownScreen", "Teardown: remove an array"),
    "jobs": ("care.jobs_screen", "JobsScreen", "Jobs: everything that was started"),
}

# The step rail, in order.
STEPS: Final = ("disks", "level", "options", "review", "confirm", "build", "benchmark", "compare")


class Place(Record, frozen=True):
    """Where somebody is: which screen, and what it is about (`BuildScreen` takes a ``job``, for example)."""

    name: str
    about: dict[str, str] = msgspec.field(default_factory=dict)

    def screen(self) -> "Page":
        """A new screen for this place."""
        module, kind, _ = PLACES[self.name]
        made: Page = getattr(importlib.import_module(f"raidtui.ui.{module}"), kind)(**self.about)
        return made
