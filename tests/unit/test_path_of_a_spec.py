"""From TOML to the plan a spec passes few files, and comes back to none of them more than once.

A file is passed when one of its functions, called from another file, is given a spec or what it was resolved to, or
gives one back. Left out are `raidtui.model`, which has no functions but those of the data itself, and the command
that asks for the plan. From the plan on no spec is handed on: a job makes the same plan again from its request.
"""

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

import raidtui
from raidtui.backends.contract import Resolved
from raidtui.backends.specfile import write_spec
from raidtui.commands._spec import read_spec_file
from raidtui.model.spec import Backend, Spec
from raidtui.plan.build import make_plan
from tests.unit.plan_machines import SEED, machine
from tests.unit.recorded_plans import specs

ROOT: Final = Path(raidtui.__file__).parent
SPECS: Final = {spec.backend: spec for _, spec in reversed(tuple(specs()))}
MOST: Final = {Backend.LVM_ON_MD: 14, Backend.HYBRID: 15}
"""Files passed where it is not 10: a spec of LVM on md, or of bands, becomes one of each array, which passes md's files too.

Bands pass what makes a physical volume of an array as well, which they share with LVM on md."""


def file_of(frame: FrameType | None) -> str:
    """The file of raidtui that a call is in; empty for any other."""
    path = Path(frame.f_code.co_filename) if frame is not None else Path()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""


def passed(toml: Path) -> Counter[str]:
    """How often the spec in ``toml`` enters each file on its way to a plan."""
    entered: dict[FrameType, str] = {}
    handed: set[FrameType] = set()

    def note(frame: FrameType, event: str, value: Any) -> None:
        code, file = frame.f_code, file_of(frame)
        if not file or file.startswith("model/") or code.co_name.startswith("<"):
            return
        if event == "call" and file != file_of(frame.f_back):
            entered[frame] = file
            given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            if any(isinstance(frame.f_locals[name], Spec | Resolved) for name in given if name != "self"):
                handed.add(frame)
        elif event == "return" and frame in entered and isinstance(value, Spec | Resolved):
            handed.add(frame)

    sys.setprofile(note)
    try:
        make_plan(read_spec_file(str(toml)), machine(), seed=SEED)
    finally:
        sys.setprofile(None)
    return Counter(entered[frame] for frame in handed)


@pytest.mark.parametrize("backend", SPECS)
def test_a_spec_passes_few_files_and_comes_back_to_none_more_than_once(
    backend: Backend, tmp_path: Path
) -> None:
    toml = tmp_path / "tank.toml"
    toml.write_text(write_spec(SPECS[backend]))
    found = passed(toml)
    assert "backends/specfile.py" in found
    assert "plan/build.py" in found
    assert len(found) <= MOST.get(backend, 10), sorted(found)
    if backend not in MOST:
        assert max(found.values()) <= 2, found
