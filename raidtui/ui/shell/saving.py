"""Files that the user asks for: never over one that is there already."""

from pathlib import Path

from raidtui.model.errors import BadInput


def save_new(place: str, text: str, *, mode: int | None = None) -> Path:
    """Write ``text`` into a new file, with these permissions if any are given, and return its whole path; may block.

    Raises:
        BadInput: there is such a file already, or it cannot be written.
    """
    target = Path(place).expanduser().absolute()
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
        if mode is not None:
            target.chmod(mode)
    except FileExistsError as error:
        raise BadInput(f"{target} exists already and was not touched; choose another name") from error
    except OSError as error:
        raise BadInput(f"{target} cannot be written: {error.strerror}; choose another place") from error
    return target


def saved_words(file: Path, *, in_lab: bool) -> str:
    """That ``file`` was saved, and how long it lasts."""
    gone = "; it is gone with the lab, unless the lab shares that folder" if in_lab else ""
    return f"Saved as {file}{gone}"
