"""The kernel does not put a candidate together."""

from raidtui.model.errors import StepFailed


class NotTaken(StepFailed):
    """The kernel does not take this shape: it speaks against the candidate, not against the trial.

    ``known`` is false if it cannot say anything of it.
    """

    def __init__(self, why: str, *, known: bool = True) -> None:
        super().__init__(why)
        self.known = known
