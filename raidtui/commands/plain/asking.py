"""Ask on standard input and print in lines of at most 80 characters, or of the terminal's width if it has fewer."""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from shutil import get_terminal_size
from typing import BinaryIO, Final, TypeVar

from raidtui.model.errors import BadInput
from raidtui.model.text import as_number, as_sentence, fold, harmless

T = TypeVar("T")
_WIDTH: Final = 80
_NARROWEST: Final = 20
_LONGEST: Final = 4096  # bytes of an answer
_PATIENCE: Final = 20  # wrong answers in a row, of a program
_INTERRUPTED: Final = "Nothing was answered. b goes back, q quits; Ctrl-C once more quits, too."
HOW: Final = "Answer with a number or a word, and Enter. ? explains the question, b goes back, q quits."


class Quit(Exception):
    """The user leaves."""


class Back(Exception):
    """The user goes back to the question before."""


class InputEnded(Exception):
    """There is no answer, and none will come. ``quietly``: nothing was left half done, so that is as good as q."""

    def __init__(self, question: str, *, quietly: bool) -> None:
        super().__init__(question)
        self.question, self.quietly = question, quietly


def _no_help() -> Sequence[str]:
    return ()


class Asking:
    """Questions and answers, a line each. What comes from disks must be made harmless first."""

    def __init__(self, source: BinaryIO | None) -> None:
        """``source``: where answers come from; None: nowhere."""
        self._source = source
        self._echoes = source is None or not source.isatty()
        self._wrong = 0

    @property
    def has_given_up(self) -> bool:
        """Whether a program has given too many wrong answers in a row: more questions are useless."""
        return self._echoes and self._wrong >= _PATIENCE

    def say(self, *texts: str) -> None:
        """Print each text, wrapped between words; an empty one is an empty line."""
        width = min(_WIDTH, max(_NARROWEST, get_terminal_size().columns))
        for text in texts:
            for line in text.splitlines() or [""]:
                indent = " " * (len(line) - len(line.lstrip()))
                print("\n".join(fold(line, width, then=indent, whole=True)))
        sys.stdout.flush()

    def tell(self, sentence: str) -> None:
        """Say a sentence that begins and ends as those of errors do: in lower case, without full stop."""
        self.say(f"{sentence[:1].upper()}{sentence[1:]}{'' if sentence.endswith('.') else '.'}")

    def ask(
        self,
        question: str,
        *,
        default: str = "",
        explain: Callable[[], Iterable[str]] = _no_help,
        quietly: bool = False,
    ) -> str:
        """The answer; ``default`` if it is empty. Answers ``?`` itself.

        Args:
            explain: the paragraphs for ``?``.
            quietly: nothing is half done here; see `InputEnded`.

        Raises:
            Back, Quit: the user asks for it.
            InputEnded: there is no answer.
        """
        prompt = f"{question}{f' [{harmless(default)}]' if default else ''}: "
        while True:
            answer = self._answer(prompt, question, quietly=quietly)
            word = answer.lower()
            if word == "?":
                self.say(*explain(), HOW)
            elif word == "q":
                raise Quit
            elif word == "b":
                raise Back
            else:
                return answer or default

    def _answer(self, prompt: str, question: str, *, quietly: bool) -> str:
        """The answer to ``prompt``. One Ctrl-C of a person loses nothing: it is easily hit when Ctrl silences speech."""
        patient = not self._echoes
        while True:
            print(prompt, end="")
            sys.stdout.flush()
            try:
                return self._read(question, quietly=quietly)
            except KeyboardInterrupt:
                print()
                if not patient:
                    raise
                patient = False
                self.say(_INTERRUPTED)

    def _read(self, question: str, *, quietly: bool) -> str:
        try:
            line = self._source.readline(_LONGEST) if self._source is not None else b""
        except OSError:  # the terminal is gone
            line = b""
        if not line:
            print()
            raise InputEnded(question, quietly=quietly)
        answer = harmless(line.decode("utf-8", "replace").strip())
        if self._echoes:
            print(answer)
        return answer

    def until(
        self,
        question: str,
        read: Callable[[str], T],
        *,
        default: str = "",
        explain: Callable[[], Iterable[str]] = _no_help,
        quietly: bool = False,
    ) -> T:
        """Ask until ``read`` accepts the answer; it raises `BadInput` with the sentence that is said first.

        Raises:
            BadInput: too many wrong answers from a program.
        """
        while True:
            answer = self.ask(question, default=default, explain=explain, quietly=quietly)
            try:
                found = read(answer)
            except BadInput as error:
                self.complain(str(error) if answer else str(error).replace("''", "an empty answer", 1))
            else:
                self._wrong = 0
                return found

    def complain(self, sentence: str) -> None:
        """Say what was wrong with an answer.

        Raises:
            BadInput: a program has given too many such answers, and would for ever.
        """
        self._wrong += 1
        if self.has_given_up:
            raise BadInput(
                f"{_PATIENCE} answers in a row do not fit their questions; the last: {as_sentence(sentence)}"
            )
        self.tell(sentence)

    def choose(
        self,
        question: str,
        items: Sequence[str],
        *,
        default: int = 0,
        explain: Callable[[], Iterable[str]] = _no_help,
        quietly: bool = False,
    ) -> int:
        """List ``items`` with their numbers and ask for one; return its index. ``default``: an index."""
        self.say(*numbered(items))
        return self.until(
            question,
            lambda answer: one_of(answer, items),
            default=str(default + 1),
            explain=explain,
            quietly=quietly,
        )


def numbered(items: Iterable[str]) -> list[str]:
    return [f"{number}. {item}" for number, item in enumerate(items, 1)]


def one_of(answer: str, items: Sequence[str]) -> int:
    """The index of the item that ``answer`` names: its number, the item itself or what stands before its
    colon, or a word of only that item.

    The end of a serial number, such as 0003, is not the number of an item.

    Raises:
        BadInput: there is none.
    """
    if (number := as_number(answer)) is not None and 1 <= number <= len(items) and answer[0] != "0":
        return number - 1
    if (word := answer.casefold()) in (same := [item.casefold() for item in items]):
        return same.index(word)
    heads = [item.partition(":")[0] for item in same]
    if heads.count(word) == 1:
        return heads.index(word)
    having = [
        place
        for place, item in enumerate(same)
        if word in re.findall(r"\w+", item) or word in re.findall(r"[\w-]+", item)
    ]
    if len(having) == 1:
        return having[0]
    if having:
        raise BadInput(f"{answer!r} fits {len(having)} of them: type a number from 1 to {len(items)}")
    raise BadInput(f"{answer!r} is not a number from 1 to {len(items)}")


def in_turn(*questions: Callable[[], None], begin: int = 0) -> None:
    """Ask one after the other, from ``begin``; Back asks the one before again.

    Raises:
        Back: the user goes back from the first.
    """
    at = begin
    while at < len(questions):
        try:
            questions[at]()
            at += 1
        except Back:
            if at == 0:
                raise
            at -= 1


def then(question: Callable[[], T], rest: Callable[[T], None]) -> None:
    """Ask ``question`` and do ``rest`` with its answer; Back from there asks it again.

    Raises:
        Back: the user goes back from ``question``.
    """
    while True:
        answer = question()
        try:
            rest(answer)
        except Back:
            continue
        return


def after_d(rest: str, items: Sequence[str]) -> int:
    """The index of the item that stands after d in an answer, for its details.

    Raises:
        BadInput: there is none.
    """
    if not rest:
        raise BadInput(f"type a number from 1 to {len(items)} after d")
    return one_of(rest, items)
