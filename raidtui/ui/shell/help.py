"""Help: the purpose of the page or dialog below, and its keys."""

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.widgets import Static

from raidtui.ui.shell.modal import Over
from raidtui.ui.shell.page import Page


class HelpScreen(Over[None]):
    """The help of a page or dialog, shown over it."""

    TYPES = True  # it confirms nothing
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q", "leave", "Close")]

    def __init__(self, page: Page | Over[Any]) -> None:
        super().__init__()
        self.page = page

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            yield Static(help_text(self.page))

    def on_mount(self) -> None:
        # As a str, a border title would be parsed as markup.
        box = self.query_one("#help")
        box.border_title = Content(f"Help: {self.page.TITLE}" if self.page.TITLE else "Help")
        box.border_subtitle = Content("Esc closes, ↑↓ scroll")


def help_text(page: Page | Over[Any]) -> Content:
    """The page's own explanation, its keys, and the keys that work everywhere."""
    parts: list[Content | tuple[str, str] | str] = [
        _unwrapped(page.explained if isinstance(page, Page) else page.HELP),
        "\n\n",
        ("Keys\n", "bold"),
    ]
    listed, shared = set[str](), set[str]()
    for node in (page, page.app):
        for binding in _bindings(node):
            key = page.app.get_key_display(binding)  # the page's binding of a key takes precedence
            shared |= {*binding.key_display} if binding.key_display else set()  # keys of one line, such as ←→
            reaches = (
                node is page or isinstance(page, Page) or binding.priority
            )  # a dialog takes all other keys
            doing = (
                reaches and binding.description and node.check_action(binding.action.partition("(")[0], ())
            )
            if doing and key not in listed and (binding.key_display or key not in shared):
                listed.add(key)
                parts += [(f"  {key:<8}", "bold $text-accent"), f"{binding.tooltip or binding.description}\n"]
    parts += [("  ^p      ", "bold $text-accent"), "Search everything raidtui can do, by name"]
    return Content.assemble(*parts)


def _bindings(node: DOMNode) -> list[Binding]:
    """The bindings of our own classes, without Textual's; only the first of several keys for an action."""
    ours = [kind for kind in type(node).__mro__ if kind.__module__.startswith("raidtui.")]
    found = [b for kind in ours for b in kind.__dict__.get("BINDINGS", ()) if isinstance(b, Binding)]
    return [one.with_key(one.key.split(",")[0], one.key_display) for one in found]


def _unwrapped(text: str) -> str:
    """Paragraphs as one line each: the screen wraps them at its own width."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))
