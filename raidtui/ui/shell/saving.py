"""Save files for the user, without ever overwriting one."""

from pathlib import Path

from raidtui.model.errors import BadInput


def save_new(place: str, text: str, *, mode: int | None = None) -> Path:
    """Write ``text`` to a new file, with permissions ``mode`` if given, and return its absolute path; may block.

    Raises:
        BadInput: the file already exists, or cannot be written.
    """
    target = Path(place).expanduser().absolute()
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
        if mode is not None:
            target.chmod(mode)
    except FileExistsError as error:
        raise BadInput(f"{target} already exists and was not touched; choose another name") from error
    except OSError as error:
        raise BadInput(f"{target} cannot be written: {error.strerror}; choose another place") from error
    return target


def saved_words(file: Path, *, in_lab: bool) -> str:
    """A message that ``file`` was saved, with a warning in the lab."""
    gone = "; it is gone with the lab, unless the lab shares that folder" if in_lab else ""
    return f"Saved as {file}{gone}"
