"""One word for one thing: what people read uses the words of the glossary in raidtui/README.md, and none that it forbids."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from raidtui.model.text import spelled

ROOT: Final = Path(__file__).resolve().parents[2]
README: Final = ROOT / "README.md"
INSIDE: Final = ROOT / "raidtui" / "README.md"
FILES: Final = (
    *sorted((ROOT / "raidtui").rglob("*.py")),
    *(
        one
        for folder in ("bench/grids", "sweep/studies")
        for one in (ROOT / "raidtui" / folder).glob("*.toml")
    ),
    README,
    ROOT / "raidtui" / "REFERENCE.md",
    INSIDE,
    ROOT / "start",
)

# what is forbidden → what to write
FORBIDDEN: Final = {
    # "there is no array" is plain English; "it is no array" is not
    r"(?<![Tt]here )\b(?:is|are) no (?!longer|more)\w": "is not a",
    r"\bso many\b": "this number of",
    r"\b(?:shines?|shone|shining) through\b": "stale signatures",
    r"\b(?:go|goes|went|going) on\b": "resumes, continues, runs",
    r"\b(?:set|sets|setting|puts?) (?:it |them )?right\b": "fix",
    r"\b(?:take|takes|taken|took|taking)\b[^.;:]{0,30}\baway\b": "remove",
    r"\bwithout a word\b|\bgone without\b": "died unexpectedly",
    r"\bpatien(?:ce|t)\b": "timeout",
    r"\bwhom\b": "who, or the thing itself",
    r"\breckon": "assume, count",
    r"\bcan be no\b|\bthere can be\b": "cannot",
    r"\b(?:for|in) want of\b": "without",
    r"\b(?:tell|tells|told|telling)\b": "show, report, say",
    r"\b(?:wake|wakes|waking|woke|woken)\b": "spin up, start",
    r"\bmend(?:s|ed|ing)?\b": "fix, repair",
    r"\b(?:one|a|the|its) disks? alone\b|\blone\b": "single disk",
    r"\b(?:is|are) (?:equal|different) for sure\b|\bfor sure\b": "significant",
    r"\bone disk may not fail\b": "not redundant yet",
    r"\b(?:un)?labelled\b|\bcancelled\b|\bCancelled\b(?!:)|\bcolou?rs?\b(?<!color)(?<!colors)": (
        "American spelling: labeled, canceled, color"
    ),
    r"\bwaits for its turn\b": "delayed",
    r"\bspare disk": "hot spare",
    r"\b[Tt]he begin\b": "the beginning, the start",
}

# RAID5 is a level for people; raid5 is a word of specs, options and commands: in quotes, after "level =", as a key.
_LEVEL_OF_A_SPEC: Final = re.compile(r"""(?<![\w"'`/=.-])raid\d+(?![\w.]|["'`])""")
_SPEC: Final = re.compile(
    r"""raidtui [a-z]+ [^.;:]*|level = \[?"[^"]*"\]?|--[a-z]+[ =]\S+|`[^`]*`|Linux drivers/md, modules [^;]*"""
)

# The words that the glossary has to have.
GLOSSARY: Final = (
    *(
        "array",
        "member",
        "single disk",
        "hot spare",
        "chunk",
        "layout",
        "stripe width",
        "degraded",
        "redundant",
    ),
    *(
        "resync",
        "rebuild",
        "recovery",
        "delayed",
        "stalled",
        "roll back",
        "resume",
        "remove",
        "canceled",
        "at boot",
    ),
    *("not in use", "median run", "outliers", "percentile", "queue depth", "I/O amplification"),
    *("recovery capsule", "hazard"),
)

_MOST_WORDS: Final = 25
_CODE: Final = re.compile(
    r":root {|\bCREATE (?:TABLE|INDEX)\b|\$\(|\$\{|\$[a-z1]"
)  # CSS, SQL and shell have no sentences


class _Text(NamedTuple):
    line: int
    text: str
    is_docstring: bool = False  # of a module of `raidtui.commands` it is the help, and none


@cache
def _texts(path: Path) -> tuple[_Text, ...]:
    """Every text of a file that holds more than one word; ``X`` where an f-string puts a value."""
    return tuple(_read(path))


def _read(path: Path) -> Iterator[_Text]:
    whole = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        head, _, glossary = whole.partition("\n## Words\n")  # the glossary quotes what is not said
        rest = "\n## " + glossary.partition("\n## ")[2] if glossary else ""
        yield from (_Text(number, line) for number, line in enumerate((head + rest).splitlines(), 1))
        return
    tree = ast.parse(whole)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        if node.body and isinstance(node.body[0], ast.Expr)
        if not (isinstance(node, ast.Module) and path.parent.name == "commands")
    }
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            found = node.value
        else:
            continue
        for text in re.split(r"\n\s*\n|\n +(?=\S  )", found):  # paragraphs, and the lines of a list of keys
            if " " in text.strip():  # one word is an option, an id or a stored name
                yield _Text(node.lineno, " ".join(text.split()), id(node) in docstrings)


def _findings(path: Path) -> Iterator[str]:
    for line, sentence, _ in _texts(path):
        for pattern, better in FORBIDDEN.items():
            if match := re.search(pattern, sentence):
                near = sentence[max(0, match.start() - 40) : match.end() + 40]
                yield f"{path.relative_to(ROOT)}:{line}: {match[0]!r} ({better}) in: {near}"


def test_nothing_that_people_read_uses_a_forbidden_phrase() -> None:
    assert [finding for path in FILES for finding in _findings(path)] == []


def test_no_sentence_that_is_shown_is_longer_than_25_words() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{line}: {sentence}"
        for path in FILES
        if path.suffix == ".py"
        for line, text, is_docstring in _texts(path)
        if not is_docstring and not _CODE.search(text)
        for sentence in re.split(r"(?<=[.?!])\s+", text)
        if len(sentence.split()) > _MOST_WORDS
    ]
    assert long == []


def test_a_level_is_spelled_as_people_write_it() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in FILES
        if path.suffix == ".py"
        for line, text, is_docstring in _texts(path)
        if not is_docstring and _LEVEL_OF_A_SPEC.search(_SPEC.sub("", text))
    ]
    assert found == []


def _says_level(node: ast.AST) -> bool:
    """Whether an expression has the level of a spec in it, as text and not spelled."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "spelled":
        return False
    if isinstance(node, ast.Compare):
        return False
    if isinstance(node, (ast.Name, ast.Attribute)):
        return (node.id if isinstance(node, ast.Name) else node.attr) == "level"
    return any(map(_says_level, ast.iter_child_nodes(node)))


def _unspelled(source: str) -> Iterator[str]:
    """The values in f-strings, and the parts that are joined, that show a level as a spec has it."""
    pending: list[ast.AST] = [ast.parse(source)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "spelled":
            continue
        shown = [node.value] if isinstance(node, ast.FormattedValue) else []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
            shown = list(node.args)
        yield from (ast.unparse(part) for part in shown if _says_level(part))
        pending += ast.iter_child_nodes(node)


_WORDS_OF_A_SPEC: Final = {
    "ui/wizard/level_names.py": ["level"],  # the key of a row
    "commands/text/calc.py": ["report.level"],  # the table of `calc`, whose names `--level` takes
    "commands/text/grow.py": ["level"],  # in a command line
}


def test_a_level_in_a_sentence_is_spelled_too() -> None:
    found = {
        name: values
        for path in FILES
        if path.is_relative_to(ROOT / "raidtui")
        and (name := path.relative_to(ROOT / "raidtui").as_posix()).startswith(("ui/", "commands/"))
        and path.suffix == ".py"
        and (values := list(_unspelled(path.read_text())))
    }
    assert found == _WORDS_OF_A_SPEC


def test_the_net_for_levels_catches_f_strings_and_joins() -> None:
    assert list(_unspelled('f"{unit.level} of 4"')) == ["unit.level"]
    assert list(_unspelled('", ".join(filter(None, (unit.level, size)))'))
    assert not list(
        _unspelled('f"{spelled(unit.level)}" + spelled(f"{level} {layout}") + (a if x.level == b else c)')
    )


@pytest.mark.parametrize(
    ("level", "people"),
    [
        ("raid5", "RAID5"),
        ("raid10 n2", "RAID10 n2"),
        ("lvm raid6", "LVM RAID6"),
        ("lvm striped", "LVM striped"),
        ("lvm-on-md raid0", "LVM on md RAID0"),
        ("megaraid raid5", "MegaRAID RAID5"),
        ("adaptec raid5", "Adaptec RAID5"),
        ("zfs raidz1", "ZFS raidz1"),
        ("btrfs raid1c3", "Btrfs RAID1C3"),
        ("raidz1", "raidz1"),
        ("linear", "linear"),
    ],
)
def test_spelled_keeps_the_words_that_are_not_of_md(level: str, people: str) -> None:
    assert spelled(level) == people


@pytest.mark.parametrize(
    "sentence",
    [
        "the job 7 is no benchmark",
        "after so many rounds",
        "its process is gone without a word",
        "one disk alone has no chunk",
        "the array is taken away",
        "the kernel's patience",
        "`raidtui resume` goes on",
        "cannot be told apart",
        "labelled tank",
        "sixteen colours",
        "the begin of each disk",
    ],
)
def test_the_phrases_of_old_are_found(sentence: str) -> None:
    assert any(re.search(pattern, sentence) for pattern in FORBIDDEN)


@pytest.mark.parametrize(
    "sentence",
    [
        "there is no array here",
        "the disk is no longer in use",
        "a single disk has no chunk",
        "canceled: nothing was written",
        "at most 16 colors",
        "Cancelled: it was asked to stop.",  # the exception of that name, under Raises
    ],
)
def test_plain_sentences_pass(sentence: str) -> None:
    assert not any(re.search(pattern, sentence) for pattern in FORBIDDEN)


def test_the_readme_has_the_glossary() -> None:
    table = INSIDE.read_text(encoding="utf-8").partition("\n## Words\n")[2].partition("\n## ")[0]
    words = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| "))
    assert [word for word in GLOSSARY if word not in words] == []
