"""The spec that a command is given."""

from raidtui.machine.textfile import read_text, spell_origin
from raidtui.model.spec import Spec
from raidtui.model.specfile import read_spec


def read_spec_file(path: str) -> Spec:
    """The spec in a file, or on standard input for ``-``.

    Raises:
        BadInput: it is not there, not readable, not text or not a spec.
    """
    return read_spec(read_text(path, what="spec"), origin=spell_origin(path))
