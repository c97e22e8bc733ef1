"""A mutant: one line broken, and the tests that must notice."""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One line broken: what is left out, in which file, the text and what replaces it, and the tests to run."""

    name: str
    file: str
    text: str
    instead: str
    tests: tuple[str, ...] = ("tests/unit/test_jobs_wiring.py",)
