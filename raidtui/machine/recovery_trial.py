"""Read whether a recovery trial is recorded that has not ended: its members stay read-only until then."""

from typing import Final

from raidtui.machine.boot import is_this_boot
from raidtui.machine.textfile import read_bounded
from raidtui.model.errors import BadInput
from raidtui.model.paths import state_folder
from raidtui.model.recovery_trial import RecoveryTrial
from raidtui.model.struct import Record, from_json

FOLDER: Final = "recovery"
FILE: Final = "trial.json"
"""In `state_folder`; raidtui/jobs/recovering/record.py writes it."""
_LARGEST: Final = 1 << 20


class _Recorded(Record, frozen=True, kw_only=True):
    name: str
    boot: str
    read_only: tuple[str, ...] = ()
    kept: bool = False
    mounted_at: str = ""


def read_trial() -> RecoveryTrial | None:
    """The trial of this boot that has not ended; None if there is none. A reboot makes every device writable again."""
    try:
        found = from_json(
            read_bounded(state_folder() / FOLDER / FILE, most=_LARGEST), _Recorded, origin="the record"
        )
    except FileNotFoundError:
        return None
    except (OSError, BadInput):
        return RecoveryTrial(read=False)
    if not is_this_boot(found.boot):
        return None
    return RecoveryTrial(
        name=found.name, read_only=found.read_only, kept=found.kept, mounted_at=found.mounted_at
    )
