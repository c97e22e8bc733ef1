"""A button that shows its focus without color: ``[ Cancel ]``, ``> Cancel <``."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Button


class Push(Button):
    """A one-line button."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "press", "Press")]

    def render(self) -> Content:
        left, right = ("> ", " <") if self.has_focus else ("[ ", " ]")
        return Content.assemble(left, str(self.label), right)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return super().get_content_width(container, viewport) + 4
