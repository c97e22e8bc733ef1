"""The export of the compare screen: the picked results, or the comparison."""

from collections.abc import Callable, Sequence
from pathlib import PurePath

from raidtui.model.errors import BadInput
from raidtui.model.result import Result
from raidtui.model.struct import to_json
from raidtui.model.text import harmless
from raidtui.results.compare import Comparison
from raidtui.results.export import export_comparison, export_results, format_of, says_format
from raidtui.results.published import is_published
from raidtui.ui.shell.world import World


def exported(
    path: str,
    get: Callable[[str], Result],
    world: World,
    picked: Sequence[str],
    results: Sequence[Result],
    comparison: Comparison | None,
) -> str:
    """The text for the file ``path``, in the format of its ending: the ``comparison``, or the ``picked`` results.

    Raises:
        BadInput: the ending is not a known format.
    """

    def document(result: Result) -> str:
        return to_json(result, pretty=False) if is_published(result.id) else world.result_document(result.id)

    if not says_format(path):
        ending = PurePath(path).suffix
        reason = (
            f"the ending {harmless(ending)!r} is not a format"
            if ending
            else "a file without ending has no format"
        )
        raise BadInput(f"{reason}; choose .json, .md, .html, .csv or .txt")
    kind = format_of(path)
    if comparison is None:
        return export_results([get(word) for word in picked], kind, document=document)
    if kind in {"json", "text"}:  # the results themselves: a comparison cannot be imported
        return export_results(results, kind, document=document)
    return export_comparison(results, comparison, kind)
