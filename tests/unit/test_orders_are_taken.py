"""What `care` prints for each recorded state is taken by the command line, as the person who types it wrote it."""

import argparse
import shlex

import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.units import units_of
from raidtui.cli import main
from raidtui.commands import recover
from raidtui.model.procedure import Recover
from tests.unit.test_recorded_states import STATES, TABLE, state


@pytest.mark.parametrize("name", TABLE)
def test_every_order_of_a_state_is_taken(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    machine = state(name)
    for finding in diagnose(units_of(machine), machine):
        for remedy in finding.remedies:
            words = shlex.split(finding.order(remedy))[1:]
            if not words:
                continue
            if isinstance(remedy.procedure, Recover):
                parser = argparse.ArgumentParser()
                recover.configure(parser)
                assert recover._lost(parser.parse_args(words[1:]), machine).devices, words
                continue
            # A recording cannot be changed: that is said only of what would be done otherwise.
            assert main(["--machine", str(STATES / f"{name}.json"), *words]) == 3, (
                words,
                capsys.readouterr().err,
            )
            assert "is a recorded machine" in capsys.readouterr().err, words
