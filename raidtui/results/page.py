"""Results as one HTML page with SVG charts: no script, no other file, no network."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from raidtui.model.result import Result
from raidtui.model.text import cut, harmless, spelled
from raidtui.model.units import latency, millions
from raidtui.results.compare import Comparison, Row, RowCell
from raidtui.results.context_words import how_of, layout_of, settings_of

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #8884; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
td.best { font-weight: bold; }
td small { opacity: .75; }
figure { margin: 1.2rem 0; }
figcaption { font-weight: bold; margin-bottom: .2rem; }
svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
svg .bar { fill: #4878a8; }
svg .base { fill: #888; }
svg .best { fill: #2e8b57; }
svg .run { fill: none; stroke: currentColor; stroke-opacity: .7; }
li.remark { margin: .3rem 0; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid #8884; }
"""
_WORDS: Final = {"undecided": "not significant"}
_FEW = 3  # results whose names fit in a title
_LABEL, _BARS, _FIGURE, _HEIGHT = 220, 560, 170, 26  # pixels of a chart's columns, and of one bar


def html_page(results: Sequence[Result], comparison: Comparison | None) -> str:
    """The page: a comparison of several results with a chart for each row, then every result in full."""
    few = len(results) <= _FEW
    names = ", ".join(_text(result.label or result.id) for result in results)
    title = f"raidtui: {names if few else f'{len(results)} results'}"
    body: list[str] = [f"<h1>{title}</h1>"]
    if comparison is not None:
        body += _comparison(comparison)
    for result in results:
        body += _result(result, charts=comparison is None)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8" />',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\" />",
            '<meta name="viewport" content="width=device-width, initial-scale=1" />',
            f"<title>{title}</title><style>{_STYLE}</style></head>",
            *("<body>", *body, "</body></html>", ""),
        ]
    )


def _text(text: str) -> str:
    return escape(harmless(text))


def _comparison(comparison: Comparison) -> list[str]:
    names = [column.label or column.id for column in comparison.columns]
    parts = [
        "<h2>Side by side</h2>",
        _table(
            ["Result", "What", "Measured"],
            (
                [
                    _td(_text(name)),
                    _td(_text(spelled(column.layout))),
                    _td(_text(column.created[:16].replace("T", " "))),
                ]
                for name, column in zip(names, comparison.columns, strict=True)
            ),
        ),
        _table(
            ["MB/s", *map(_text, names)],
            (
                [_td(_text(f"{row.name} {row.direction}")), *_values(row, comparison.baseline)]
                for row in comparison.rows
            ),
        ),
        f"<p>Medians of the runs. Small: times {_text(names[comparison.baseline])}, and the verdict, corrected for multiple tests.</p>",
    ]
    base = names[comparison.baseline]
    sentences = filter(None, (*comparison.conclusions, comparison.assumption))
    parts += ["<ul>", *(f"<li>{_text(one)}</li>" for one in sentences), "</ul>"]
    parts += _ranks(names, comparison)
    if comparison.remarks:
        parts += ["<ul>", *(f'<li class="remark">{_text(one)}</li>' for one in comparison.remarks), "</ul>"]
    for row in comparison.rows:
        bars = [(name, cell) for name, cell in zip(names, row.cells, strict=True) if cell.value is not None]
        title = f"{row.name} {row.direction}, {'I/Os a second' if row.unit == 'ios' else 'MB/s'}"
        parts += _chart(title, bars, base=base, unit=row.unit)
    return parts


def _ranks(names: Sequence[str], comparison: Comparison) -> list[str]:
    """Tables of the rank in each row, the share of the ideal (if a single disk was measured) and amplification."""
    parts = ["<h2>Rank, 1 is the fastest</h2>"]
    rows = [(_text(f"{row.name} {row.direction}"), row.cells) for row in comparison.rows]
    head = ["", *map(_text, names)]
    parts.append(
        _table(head, ([_td(name), *(_td(str(cell.rank or "")) for cell in cells)] for name, cells in rows))
    )
    for title, shown in (
        (
            "Share of the ideal of such disks",
            [[_share(cell.ideal_share, 100, " %") for cell in cells] for _, cells in rows],
        ),
        ("Amplification", [[_share(cell.amplification, 1, "x") for cell in cells] for _, cells in rows]),
    ):
        if any(map(any, shown)):
            body = ([_td(name), *map(_td, texts)] for (name, _), texts in zip(rows, shown, strict=True))
            parts += [f"<h2>{title}</h2>", _table(head, body)]
    return parts


def _share(value: float | None, times: int, unit: str) -> str:
    return "" if value is None else f"{times * value:.{0 if times > 1 else 2}f}{unit}"


def _figure(value: float, unit: str) -> str:
    return f"{value:,.0f}/s" if unit == "ios" else millions(value, 2)


def _values(row: Row, baseline: int) -> list[str]:
    cells = []
    for index, cell in enumerate(row.cells):
        if cell.value is None:
            cells.append("<td></td>")
            continue
        words = (
            []
            if index == baseline or cell.factor is None
            else [f"{cell.factor:.2f}x {_WORDS.get(cell.verdict, cell.verdict)}".strip()]
        )
        words += [cell.flags] if cell.flags else []
        small = f"<br /><small>{_text(', '.join(words))}</small>" if words else ""
        cells.append(_td(f"{_figure(cell.value, row.unit)}{small}", best=cell.best))
    return cells


def _chart(
    title: str, bars: Sequence[tuple[str, RowCell]], *, base: str = "", unit: str = "bytes"
) -> list[str]:
    """Horizontal bars from zero: the bar is the median, a ring is a run."""
    most = max((max(cell.value or 0.0, *cell.runs, 0.0) for _, cell in bars), default=0.0)
    if most <= 0:
        return []
    width, height = _LABEL + _BARS + _FIGURE, _HEIGHT * len(bars)
    drawn = []
    for number, (name, cell) in enumerate(bars):
        value, top = cell.value or 0.0, number * _HEIGHT
        kind = "best" if cell.best else "base" if name == base else "bar"
        drawn += [
            f'<text x="{_LABEL - 8}" y="{top + 18}" text-anchor="end">{_text(cut(name, 30))}</text>',
            f'<rect class="{kind}" x="{_LABEL}" y="{top + 5}" width="{_BARS * value / most:.1f}" height="{_HEIGHT - 9}" />',
            *(
                f'<circle class="run" cx="{_LABEL + _BARS * run / most:.1f}" cy="{top + _HEIGHT / 2 + 0.5}" r="3" />'
                for run in cell.runs
            ),
            f'<text x="{_LABEL + _BARS + 10}" y="{top + 18}">{_figure(value, unit)}</text>',
        ]
    return [
        f"<figure><figcaption>{_text(title)}</figcaption>",
        f'<svg role="img" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        *(*drawn, "</svg></figure>"),
    ]


def _result(result: Result, *, charts: bool) -> list[str]:
    context = result.context
    facts = {
        "Measured": f"{result.created[:16].replace('T', ' ')} UTC, raidtui {result.version}",
        "By": context.origin,
        "What": f"{context.target}: {spelled(layout_of(context))}",
        "How": how_of(context),
        "Settings": settings_of(context),
        "Computer": ", ".join(filter(None, (context.hostname, context.processor_model, context.kernel))),
        "Tools": ", ".join(f"{name} {version}" for name, version in context.tools.items()),
        "Disks": ", ".join(disk.model or disk.identity for disk in context.disks),
    }
    parts = [
        f"<h2>{_text(result.label or result.id)}</h2>",
        _table(["", ""], ([_td(_text(key)), _td(_text(value))] for key, value in facts.items() if value)),
        _table(
            ["Cell", "MB/s", "IOPS", "mean", "p99", "runs", ""],
            (
                [
                    *(
                        _td(_text(f"{cell.name} {cell.direction}")),
                        _td(millions(cell.bytes_per_second, 2)),
                    ),
                    *(_td(f"{cell.iops:,.0f}"), _td(latency(cell.latency_mean_seconds or None))),
                    *(_td(latency(cell.latency_p99_seconds)), _td(str(len(cell.runs) or ""))),
                    _td("<br />".join(map(_text, cell.flags))),
                ]
                for cell in result.cells
            ),
        ),
    ]
    if charts:
        for direction in dict.fromkeys(cell.direction for cell in result.cells):
            bars = [
                (
                    c.name,
                    RowCell(value=c.bytes_per_second, runs=tuple(run.bytes_per_second for run in c.runs)),
                )
                for c in result.cells
                if c.direction == direction
            ]
            parts += _chart(f"{direction.capitalize()}, MB/s", bars)
    if context.job_text:
        parts.append(f"<pre>{_text(context.job_text)}</pre>")
    return parts


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{word}</th>" for word in head)
    lines = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>\n{lines}\n</tbody></table>"


def _td(content: str, *, best: bool = False) -> str:
    return f'<td class="best">{content}</td>' if best else f"<td>{content}</td>"
