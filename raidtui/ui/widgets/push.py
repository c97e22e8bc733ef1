"""A button that shows without colour whether it has the focus: ``[ Cancel ]``, ``> Cancel <``."""

from textual.content import Content
from textual.geometry import Size
from textual.widgets import Button


class Push(Button):
    """A button of one line."""

    def render(self) -> Content:
        left, right = ("> ", " <") if self.has_focus else ("[ ", " ]")
        return Content.assemble(left, str(self.label), right)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return super().get_content_width(container, viewport) + 4
