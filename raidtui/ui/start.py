"""Opening the wizard: is this a terminal that can show it, and what is left behind when it closes."""

import os
import sys

from raidtui.model.errors import BadInput
from raidtui.ui.draft import Draft

_INSTEAD = "use the commands instead: 'raidtui --help' lists them, 'raidtui inspect' shows the disks"


def check_terminal() -> None:
    """Refuse what cannot show a screen: a pipe, a closed input, a terminal without cursor movement.

    Raises:
        BadInput: with the commands to use instead.
    """
    # Textual draws on standard error and would wait for ever for a terminal that is not there.
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        raise BadInput(f"the wizard needs a terminal, and input or error output is not one; {_INSTEAD}")
    if os.environ.get("TERM", "dumb") in {"dumb", "unknown", ""}:
        raise BadInput(
            f"the terminal says that it is {os.environ.get('TERM') or 'nothing'!r} (TERM), which cannot show "
            f"the wizard; set TERM, or {_INSTEAD}"
        )


def open_wizard(
    machine_file: str | None, *, console: bool | None = None, spec_file: str | None = None
) -> int:
    """Open the screens and return the exit code.

    Args:
        machine_file: a recorded machine to work on; nothing can be carried out then.
        console: draw for the Linux console; by itself where the kernel or ``TERM`` says so.
        spec_file: open on the plan of this spec.

    Raises:
        BadInput: no usable terminal, or a file that cannot be read.
    """
    draft = _read_draft(spec_file) if spec_file else None
    check_terminal()
    if os.environ.get("SSH_CONNECTION"):
        os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")  # read when textual is imported
    from raidtui.ui.app import RaidtuiApp
    from raidtui.ui.console import is_console
    from raidtui.ui.places import Place
    from raidtui.ui.world import RealWorld, RecordedWorld, World

    world: World = RealWorld()
    if machine_file:
        from raidtui.machine.reader import load_machine

        world = RecordedWorld(load_machine(machine_file))
    in_console = is_console() if console is None else console
    places = ["overview", "disks", "level", "options", "review"] if draft else ["overview"]
    app = RaidtuiApp(world, in_console, places=[Place(name) for name in places], draft=draft)
    app.run(mouse=not in_console)
    if in_console:
        # Linux consoles have no alternate screen before 6.18: the last picture would stay.
        sys.stdout.write("\x1b[0m\x1b[2J\x1b[H")
        sys.stdout.flush()
    if app.run_as_root is not None:
        go_on_as_root(app.run_as_root, console=in_console)
    return app.return_code or 0


def _read_draft(path: str) -> Draft:
    import uuid

    from raidtui.model.specfile import read_spec

    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"the spec {path} cannot be read: {error}") from error
    return Draft(spec=read_spec(text, origin=path), seed=str(uuid.uuid4()))


def root_command(program: str, spec_path: str | None, *, console: bool) -> list[str]:
    """The command that opens the wizard again as root: on this spec's plan, or on the overview without one."""
    return [
        program,
        *(["--"] if program.endswith("sudo") else []),
        sys.executable,
        "-m",
        "raidtui",
        "wizard",
        *(["--console"] if console else []),
        *([spec_path] if spec_path else []),
    ]


def go_on_as_root(draft: Draft, *, console: bool) -> None:
    """Replace this process by the wizard as root, with every answer given so far; asks for the password once.

    Raises:
        BadInput: neither sudo nor pkexec is installed; the text says where the answers were saved.
    """
    import shutil
    import tempfile

    spec_path = None
    if draft.spec.level:
        from raidtui.model.specfile import write_spec

        descriptor, spec_path = tempfile.mkstemp(prefix="raidtui-", suffix=".toml")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(write_spec(draft.spec))
    program = shutil.which("sudo") or shutil.which("pkexec")
    if program is None:
        saved = f" (your answers are in {spec_path}: 'raidtui wizard {spec_path}')" if spec_path else ""
        raise BadInput(f"neither sudo nor pkexec is installed; become root and start raidtui again{saved}")
    print(
        "Opening raidtui again as root: it reads the disks anew and shows the plan before anything is done."
    )
    sys.stdout.flush()
    os.execv(program, root_command(program, spec_path, console=console))
