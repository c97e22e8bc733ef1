"""Backends with other functions than their own, for the time of one test."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.backends import registry
from raidtui.model.spec import Backend


def change_part(monkeypatch: pytest.MonkeyPatch, name: Backend, place: str, **changes: Any) -> None:
    """Change fields of a part of the backend ``name``, such as ``reader.READER``."""
    asked, changed = registry._part, replace(registry._part(name, place), **changes)
    monkeypatch.setattr(
        registry, "_part", lambda one, where: changed if (one, where) == (name, place) else asked(one, where)
    )
