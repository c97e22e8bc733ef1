"""The list of mutants fits the code: each text that it breaks is there once, and its tests exist."""

import pytest

from tests.mutants.mutant import Mutant
from tests.mutants.run import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.name)
def test_a_mutant_breaks_one_place(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text().count(mutant.text) == 1
    assert all((ROOT / test).is_file() for test in mutant.tests)
