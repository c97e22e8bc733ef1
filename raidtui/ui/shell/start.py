"""Open the wizard: check the terminal, run the app, and clear the screen after it."""

import os
import sys

from raidtui.model.errors import BadInput
from raidtui.ui.shell.first_picture import hasten
from raidtui.ui.wizard.draft import Draft

_INSTEAD = (
    "use 'raidtui wizard --plain', which asks line by line, or the commands that 'raidtui --help' lists"
)


def check_terminal() -> None:
    """Check that this is a terminal that can show screens: not a pipe, closed input, or one without cursor movement.

    Raises:
        BadInput: it is not; the message has the commands to use instead.
    """
    # Textual draws on standard error, and waits forever if it is not a terminal.
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        raise BadInput(
            f"the wizard needs a terminal, and standard input or standard error is none; {_INSTEAD}"
        )
    if (kind := os.environ.get("TERM", "")) in {"dumb", "unknown", ""}:
        said = (
            f"the terminal type is {kind!r} (TERM), which cannot show the wizard"
            if kind
            else "TERM is not set"
        )
        raise BadInput(f"{said}; set it to the terminal's type, or {_INSTEAD}")


def open_wizard(
    machine_file: str | None,
    *,
    console: bool | None = None,
    colors: str = "",
    spec_file: str | None = None,
    answers_file: str | None = None,
) -> int:
    """Open the screens and return the exit code.

    Args:
        machine_file: show this recorded machine; all orders are refused.
        console: draw for the Linux console; by default as the kernel or ``TERM`` says.
        colors: ``16``, the terminal's own palette; ``none``; empty: as many as the terminal has.
        spec_file: open on the plan of this spec.
        answers_file: continue from the answers of a user's wizard that reopened itself as root.

    Raises:
        BadInput: no usable terminal, or a file that cannot be read.
    """
    draft = read_draft(spec_file) if spec_file else None
    check_terminal()
    if os.environ.get("SSH_CONNECTION"):
        os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")  # read when textual is imported
    hasten()
    from raidtui.ui.shell.app import RaidtuiApp
    from raidtui.ui.shell.console import is_console
    from raidtui.ui.shell.ending import Ending
    from raidtui.ui.shell.place import Place
    from raidtui.ui.shell.recorded_world import RecordedWorld
    from raidtui.ui.shell.world import World

    recorded: World | None = None
    if machine_file:
        from raidtui.backends.reading import recorded_machine

        recorded = RecordedWorld(recorded_machine(machine_file), file=machine_file)
    in_console = is_console() if console is None else console
    if colors == "none":
        os.environ["NO_COLOR"] = "1"  # read when the app is made
    elif "NO_COLOR" in os.environ:
        colors = "none"  # sudo leaves it out of the environment
    places = ["overview", "disks", "level", "options", "review"] if draft else ["overview"]
    if answers_file:
        from raidtui.ui.shell.elevate import read_answers

        answers = read_answers(answers_file)
        draft, places = answers.draft, list(answers.places)
    trouble = ""
    while True:
        world = recorded or World()
        app = RaidtuiApp(
            world,
            in_console,
            places=[Place(name) for name in places],
            draft=draft,
            trouble=trouble,
            palette=bool(colors),
        )
        with Ending(app):
            app.run(mouse=not in_console)
        if in_console and not app.crashed:
            # Before Linux 6.18 consoles have no alternate screen: the last picture would stay.
            os.write(sys.stdout.fileno(), b"\x1b[0m\x1b[2J\x1b[H")
        if app.run_as_root is None:
            return app.return_code or 0
        from raidtui.ui.shell.elevate import open_as_root, way_to_root

        print("Opening raidtui again as root: it reads the disks again.")
        sys.stdout.flush()
        program = way_to_root()
        code = open_as_root(program, app.run_as_root, console=in_console, colors=colors)
        if code is not None:
            return code
        draft, places = app.run_as_root.draft, list(app.run_as_root.places)
        name = os.path.basename(program)
        trouble = f"{name} did not open raidtui as root; nothing was changed, and your answers are still here"
        if name == "sudo":
            trouble += "; with root's own password: su, then raidtui"


def read_draft(path: str) -> Draft:
    """A draft of the spec in a file; raises `BadInput`."""
    from raidtui.backends.specfile import read_spec
    from raidtui.machine.textfile import read_text
    from raidtui.steps.seeds import new_seed

    return Draft(spec=read_spec(read_text(path, what="spec"), origin=path), seed=new_seed())
