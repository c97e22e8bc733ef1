"""Print sentences for people on standard error."""

import sys


def tell(sentence: str) -> None:
    """Print ``sentence``: wrapped between words on a terminal, as far in as it begins, and unwrapped for scripts elsewhere."""
    if sys.stderr.isatty():
        import shutil

        from raidtui.model.text import fold

        width = max(40, shutil.get_terminal_size().columns - 1)
        sentence = "\n".join(
            part
            for line in sentence.splitlines()
            for part in fold(line, width, then=" " * (len(line) - len(line.lstrip())), whole=True) or [""]
        )
    print(sentence, file=sys.stderr, flush=True)
