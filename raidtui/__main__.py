"""``python -m raidtui``."""

from raidtui.cli import run

run()
