"""Read /etc/raidtui/alerts.toml, which only root may read."""

import os
import stat
from pathlib import Path

from raidtui.machine.textfile import read_bounded
from raidtui.model.alerts import FILE, AlertSettings
from raidtui.model.errors import BadInput
from raidtui.model.units import KIB


def read_settings(path: Path | None = None) -> AlertSettings | None:
    """The settings; None if there is no file.

    Raises:
        BadInput: it cannot be read, others may read or change it, or something in it is wrong.
    """
    path = Path(FILE) if path is None else path
    try:
        about = os.stat(path)
        content = read_bounded(path, most=64 * KIB)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    mode = stat.S_IMODE(about.st_mode)
    if mode & 0o077:
        raise BadInput(
            f"{path} can be read or changed by others (mode {mode:o}), and it may hold passwords: chmod 600 {path}"
        )
    if os.geteuid() == 0 and about.st_uid != 0:
        raise BadInput(f"{path} belongs to user {about.st_uid}, and root would act on it: chown root {path}")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not text in UTF-8") from None
    from raidtui.model.alert_file import read_alert_file  # much to load, and few computers have such a file

    return read_alert_file(text, origin=str(path))
