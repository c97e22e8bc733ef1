"""The places of the app: the name of each, and its screen, created on every visit."""

import importlib
from typing import Final

from raidtui.ui.shell.page import Page
from raidtui.ui.shell.place import Place

# name → (module under raidtui.ui, class, entry in the command palette)
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
    "care": ("care.care_screen", "CareScreen", "Care: what is wrong, and what to do"),
    "grow": ("care.grow_screen", "GrowScreen", "Grow: what a unit can become"),
    "scrubs": ("care.scrub_screen", "ScrubScreen", "Scrubs: what they found, and what starts the next"),
    "procedure": ("wizard.procedure", "ProcedureScreen", "Plan: what is done about a finding"),
    "recover": ("care.recover_screen", "RecoverScreen", "Recover: look for the files of a lost unit"),
    "alerts": (
        "alerts.alerts_screen",
        "AlertsScreen",
        "Alerts: where they go, and the proof that they arrive",
    ),
    "unit": ("care.unit_screen", "UnitScreen", "Unit: its state, its members, and what to do"),
    "health": ("care.health_screen", "HealthScreen", "Health: every disk, and what becomes worse"),
    "burnin": ("care.burnin_screen", "BurnInScreen", "Burn-in: try new disks before they are trusted"),
    "jobs": ("care.jobs_screen", "JobsScreen", "Jobs: everything that was started"),
}


def screen_of(place: Place) -> Page:
    module, kind, _ = PLACES[place.name]
    made: Page = getattr(importlib.import_module(f"raidtui.ui.{module}"), kind)(**place.about)
    return made
