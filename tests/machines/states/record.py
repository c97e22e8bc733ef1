"""Record the states in this folder again: ``python tests/machines/states/record.py [SCRIPT …]``.

Each script brings disks into one state after another in its own guest; its first line names the disks, and what else
`raidtui lab` takes. ``state NAME`` records what `raidtui inspect --json` prints there, without what has its default.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from raidtui.machine.reader import load_machine
from raidtui.model.struct import to_json

FOLDER: Final = Path(__file__).resolve().parent
_MARK: Final = "== state "
_BEFORE: Final = f"""
exec 3>&1 >&2
state() {{ udevadm settle; echo "{_MARK}$1" >&3; raidtui inspect --json >&3; }}
idle() {{ sleep 0.5; while grep -qE 'resync|recovery|check|reshape' /proc/mdstat; do sleep 0.3; done; udevadm settle; }}
stop_all() {{ mdadm --stop --scan --quiet; udevadm settle; mdadm --stop --scan --quiet; udevadm settle; }}
gone() {{ local disk; for disk; do dd if=/dev/zero of=/dev/$disk bs=1M status=none; done 2>/dev/null; udevadm settle; }}
create="mdadm --create --run --quiet --homehost=lab --metadata=1.2"
"""


def record(script: Path) -> None:
    """Boot a guest, run ``script`` in it, and save each state that it prints."""
    first, _, rest = script.read_text().partition("\n")
    lab = [sys.executable, "-m", "raidtui", "lab", *first.lstrip("# ").split()]
    done = subprocess.run(
        [*lab, "--", "bash", "-c", _BEFORE + rest],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        check=False,
        cwd=FOLDER.parents[2],
        text=True,
    )
    for part in done.stdout.split(_MARK)[1:]:
        name, _, document = part.partition("\n")
        path = FOLDER / f"{name}.json"
        path.write_text(document)
        path.write_text(to_json(shrunk(load_machine(str(path))), pretty=False) + "\n")
        print(f"{script.stem}: {name}", flush=True)
    if done.returncode:
        print(f"{script.stem}: exit code {done.returncode}", flush=True)


def shrunk(value: Any) -> Any:
    """``value`` without the fields that have their default, and without where raidtui was when this was recorded."""
    if isinstance(value, msgspec.Struct):
        return {
            field.encode_name: shrunk(own)
            for field in msgspec.structs.fields(value)
            if (own := getattr(value, field.name)) != field.default
            and own not in ((), {})
            and field.name != "program"
        }
    return [shrunk(one) for one in value] if isinstance(value, tuple) else value


if __name__ == "__main__":
    for one in sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.sh")):
        record(FOLDER / f"{one}.sh")
