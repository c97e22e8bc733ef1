"""How far a sweep is, in lines that stay."""

import sys

from raidtui.commands.terminal.pace import Pace
from raidtui.model.chance import share
from raidtui.model.journal import Entry
from raidtui.model.sweep import Sweep
from raidtui.sweep.matrix import turns_of
from raidtui.sweep.state import left_words, made_words, progress_of


class FarOfSweep:
    """Tells at its pace how many measurements are made, each time that it is asked; never stops following."""

    def __init__(self, sweep: Sweep, pace: Pace) -> None:
        self._turns, self._pace = len(turns_of(sweep)), pace
        self.entries: list[Entry] = []

    def tell(self) -> bool:
        progress = progress_of(self.entries)
        done = len(progress.ended) / self._turns
        if self._pace.due(done):
            failed = f"{len(progress.failed)} of them failed" if progress.failed else ""
            words = (made_words(progress, self._turns), failed, left_words(progress, self._turns))
            print(f"{share(done)}: {', '.join(filter(None, words))}", file=sys.stderr, flush=True)
        return False
