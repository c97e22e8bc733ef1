"""Print sentences for people on standard error."""

import sys


def tell(sentence: str) -> None:
    """Print ``sentence``: wrapped between words on a terminal, as far in as it begins, and unwrapped for scripts elsewhere."""
    if sys.stderr.isatty():
        import shutil
        import textwrap

        width = max(40, shutil.get_terminal_size().columns - 1)
        sentence = "\n".join(
            textwrap.fill(
                line,
                width,
                subsequent_indent=" " * (len(line) - len(line.lstrip())),
                break_long_words=False,
                break_on_hyphens=False,
            )
            for line in sentence.splitlines()
        )
    print(sentence, file=sys.stderr, flush=True)
