"""Read the spec named on the command line."""

from raidtui.backends.specfile import read_spec
from raidtui.machine.textfile import read_input, read_text
from raidtui.model.spec import Spec


def read_spec_file(path: str) -> Spec:
    """Read a spec from a file, or from standard input for ``-``.

    Raises:
        BadInput: it does not exist, or is not readable, not text or not a spec.
    """
    if path == "-":
        return read_spec(read_input(what="spec"), origin="standard input")
    return read_spec(read_text(path, what="spec"), origin=path)
