"""List, show, compare, export, import and remove measured results.

Name a result by its id, the start of its id, or its label; a label means the newest result with it. A published
result is named published:NAME.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.struct import Record, to_json
from raidtui.model.text import count_of, fold, harmless
from raidtui.results.summary import Summary, summarise

if TYPE_CHECKING:
    from raidtui.model.result import Result


class Listed(Record, frozen=True, kw_only=True):
    """The document of ``list --json``."""

    results: tuple[Summary, ...]


class Imported(Record, frozen=True, kw_only=True):
    """The document of ``import --json``: ids."""

    added: tuple[str, ...]
    known: tuple[str, ...]  # already stored, and identical


class Removed(Record, frozen=True, kw_only=True):
    """The document of ``remove --json``: ids."""

    removed: tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    listing = kinds.add_parser("list", help="list every result, newest first")
    listing.add_argument("--limit", type=int, help="show at most this many")
    listing.add_argument(
        "--published", action="store_true", help="list the published results that come with raidtui instead"
    )
    show = kinds.add_parser("show", help="show the grid of one result")
    show.add_argument("id", metavar="ID", help="id, start of an id, label, or published:NAME")
    compare = kinds.add_parser("compare", help="compare results side by side")
    compare.add_argument("ids", metavar="ID", nargs="*", help="id, start of an id, label, or published:NAME")
    compare.add_argument("--all", action="store_true", help="every stored result")
    compare.add_argument(
        "--baseline",
        metavar="ID",
        help="the result, or with --by the group, that factors are relative to (default: the first)",
    )
    compare.add_argument(
        "--by",
        metavar="WHAT",
        help="one column, with all runs, for each level, chunk, filesystem, machine, day, or array built alike",
    )
    compare.add_argument("--published", action="store_true", help="add published results of such arrays")
    compare.add_argument(
        "--bars", action="store_true", help="show bars as wide as the terminal instead of a table"
    )
    export = kinds.add_parser("export", help="write results to a file: JSON, CSV, Markdown, HTML or text")
    export.add_argument(
        "words", metavar="ID … FILE", nargs="+", help="the results, then the file; - is stdout"
    )
    export.add_argument("--all", action="store_true", help="every stored result; name only FILE")
    for kind in (compare, export):
        kind.add_argument(
            "--format",
            metavar="FORMAT",
            help="json (can be imported), csv, markdown, html or text; export takes it from the ending of FILE",
        )
    bring = kinds.add_parser(
        "import", help="add results written by export, CrystalDiskMark, KDiskMark, fio or Bonnie++"
    )
    bring.add_argument("file", metavar="FILE", type=Path, help="the file to import")
    remove = kinds.add_parser("remove", help="delete results from the store")
    remove.add_argument("ids", metavar="ID", nargs="+", help="id, start of an id, or label")
    for kind in (listing, show, compare, bring, remove):
        kind.add_argument("--json", action="store_true", help="one JSON document on stdout")
    for kind in (listing, show, compare, export):
        kind.add_argument("--csv", action="store_true", help="a CSV table")


def run(args: argparse.Namespace) -> int:
    """Run the subcommand and print its output."""
    formats = [name for name in ("json", "csv", "format") if getattr(args, name, None)]
    if len(formats) > 1:
        raise BadInput(f"choose one of --{formats[0]} and --{formats[1]}")
    output = {
        "list": _list,
        "show": _show,
        "compare": _compare,
        "export": _export,
        "import": _import,
        "remove": _remove,
    }[args.what](args)
    _print([output] if isinstance(output, str) else output)
    return 0


def _print(pieces: Iterable[str]) -> None:
    """Print a text that comes in pieces, with exactly one newline at its end."""
    encoding, newlines = sys.stdout.encoding or "ascii", ""
    for piece in pieces:
        text = piece.rstrip("\n")
        # A terminal without UTF-8 shows ? for characters that it lacks.
        sys.stdout.write((newlines + text).encode(encoding, "replace").decode(encoding))
        newlines = piece[len(text) :]
    sys.stdout.write("\n")


def _list(args: argparse.Namespace) -> str:
    if args.limit is not None and args.limit < 1:
        raise BadInput("--limit must be at least 1")
    found = _listed(args.published, args.limit)
    if args.json:
        return to_json(Listed(results=found))
    if args.csv:
        from raidtui.results.csv_text import summaries_csv

        return summaries_csv(found)
    from raidtui.commands.text.results_list import published_list, summaries

    if args.published:
        return published_list(found)
    return (
        summaries(found, width=get_terminal_size().columns - 1)
        if found
        else "no result yet; run one with 'raidtui bench'"
    )


def _listed(published: bool, limit: int | None) -> tuple[Summary, ...]:
    if published:
        from raidtui.results.published.reader import all_published

        return tuple(map(summarise, all_published()))[:limit]
    from raidtui.results.store import Store

    return Store().list(limit=limit)


def _get(word: str) -> "Result":
    """The result that ``word`` names: a stored one, or ``published:NAME``."""
    from raidtui.results.published import is_published

    if is_published(word):
        from raidtui.results.published.reader import published

        return published(word)
    from raidtui.results.store import Store

    return Store().get(word)


def _every() -> "Iterator[tuple[Result, str]]":
    """Every stored result with its document, oldest first; a damaged one is reported and skipped."""
    from raidtui.results.store import Store

    def skipped(name: str, error: BadInput) -> None:
        print(f"raidtui: skipped '{harmless(name)}': {harmless(str(error))}", file=sys.stderr)

    return Store().every(skipped)


def _stored(word: str) -> "tuple[Result, str]":
    """The result that ``word`` names, with its JSON document; a published one has an empty document."""
    from raidtui.results.published import is_published
    from raidtui.results.store import Store

    result = _get(word)
    return result, "" if is_published(result.id) else Store().document(result.id)


def _show(args: argparse.Namespace) -> str | Iterator[str]:
    from raidtui.results.published import is_published

    result = _get(args.id)
    if args.json:
        return to_json(result)
    if args.csv:
        from raidtui.results.csv_text import runs_csv

        return runs_csv([result])
    from raidtui.commands.text.grid import grid

    if not is_published(result.id):
        return grid(result)

    from raidtui.results.published.reader import about

    about_lines = "\n".join(fold(about(result.id), 79))
    return f"{grid(result)}\n\n{about_lines}"


def _compare(args: argparse.Namespace) -> str:
    from raidtui.commands.text.side_by_side import bars, drawing
    from raidtui.results.compare import compare, compare_by
    from raidtui.results.export import export_comparison
    from raidtui.results.side_by_side import table

    if args.all == bool(args.ids):
        raise BadInput(
            "name the results to compare, or say --all" if not args.ids else "with --all name no result"
        )
    results = [one for one, _ in _every()] if args.all else [_get(word) for word in args.ids]
    if args.published:
        from raidtui.results.published.beside import with_published

        results = with_published(results)
    if args.by:
        comparison = compare_by(results, args.by, baseline=args.baseline or "")
    else:
        comparison = compare(results, baseline=_baseline(args.baseline, [result.id for result in results]))
    if kind := "json" if args.json else "csv" if args.csv else args.format:
        return export_comparison([] if args.by else results, comparison, kind)
    if args.bars:
        full, rest = drawing(sys.stdout.encoding or "ascii")
        return bars(comparison, width=max(20, get_terminal_size().columns), full=full, rest=rest)
    return table(comparison)


def _baseline(word: str | None, ids: list[str]) -> int:
    if word is None:
        return 0
    base = _get(word).id
    if base not in ids:
        raise BadInput(f"the baseline {word!r} is not one of the results to be compared")
    return ids.index(base)


def _export(args: argparse.Namespace) -> str | Iterator[str]:
    from raidtui.results.export import export_pieces, format_of

    *ids, file = args.words
    if args.all and ids:
        raise BadInput("with --all name only the file")
    if not args.all and not ids:
        raise BadInput("name the results and then the file to write, or --all and the file")
    if ids and _is_result(file):
        raise BadInput(f"{file!r} is a result: name the file to write after it, or - for stdout")
    count = 0

    def counted() -> "Iterator[tuple[Result, str]]":
        nonlocal count
        for pair in _every() if args.all else map(_stored, ids):
            count += 1
            yield pair

    pieces = export_pieces(counted(), "csv" if args.csv else args.format or format_of(file))
    if file == "-":
        return pieces
    _write_new(Path(file), pieces)
    return f"{count} {'result' if count == 1 else 'results'} written to {harmless(file)}"


def _is_result(word: str) -> bool:
    """Whether ``word`` names a result: the last word does if the file was forgotten."""
    try:
        return bool(_get(word))
    except BadInput:
        return False


def _write_new(path: Path, pieces: Iterable[str]) -> None:
    """Write a new file, complete or not at all.

    Raises:
        BadInput: it exists.
        StepFailed: it cannot be written.
    """
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError as error:
        raise BadInput(f"{path} already exists; choose another name, or remove it first") from error
    except OSError as error:
        raise StepFailed(f"{path} cannot be written: {error.strerror}") from error
    with ExitStack() as unless_whole:
        unless_whole.callback(path.unlink, missing_ok=True)
        try:
            with file:
                file.writelines(pieces)
        except OSError as error:
            raise StepFailed(f"{path} cannot be written: {error.strerror}") from error
        unless_whole.pop_all()


def _import(args: argparse.Namespace) -> str:
    from raidtui.results.store import Store

    added, known = Store().import_file(args.file)
    if args.json:
        return to_json(Imported(added=added, known=known))
    if known:
        print(f"{count_of(known, 'result')} already stored", file=sys.stderr)
    return f"{count_of(added, 'result')} added"


def _remove(args: argparse.Namespace) -> str:
    from raidtui.results.store import Store

    store = Store()
    # Find all before removing the first: a wrong word changes nothing.
    ids = tuple(dict.fromkeys(map(store.find, args.ids)))
    for one in ids:
        store.remove(one)
    return to_json(Removed(removed=ids)) if args.json else f"removed {', '.join(map(harmless, ids))}"
