"""Records are decoded in one place, which threads can use at the same time."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import raidtui
from raidtui.model.struct import Record, decode_json, to_record

# Fresh types, which msgspec has never seen, decoded by eight threads at once: 60 of them in each process.
pytestmark = pytest.mark.processes  # fresh interpreters

_FRESH_TYPES = """
import sys, threading
from msgspec import defstruct
from raidtui.model.struct import decode_json, to_record

sys.setswitchinterval(1e-4)
for round in range(60):
    inner = defstruct("Inner", [(f"i{n}", int | None, None) for n in range(30)], kw_only=True)
    outer = defstruct("Outer", [(f"o{n}", inner | None, None) for n in range(30)], kw_only=True)
    start, wrong = threading.Barrier(8), []

    def decode(turn):
        start.wait()
        found = decode_json('{"o1": {"i2": 3}}', outer) if turn % 2 else to_record({"o1": {"i2": 3}}, outer)
        if found.o1.i2 != 3:
            wrong.append(turn)

    threads = [threading.Thread(target=decode, args=(turn,)) for turn in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
"""

# What `raidtui inspect` does with many disks, in a process that has decoded nothing yet.
_EIGHT_DISKS = """
import sys, threading
from raidtui.machine import smart
from raidtui.machine.ask import ToolAnswer
from raidtui.model.machine import Disk

sys.setswitchinterval(1e-4)
smart.find_tool = lambda name: name
together = threading.Barrier(8)

def ask(argv):
    together.wait()
    return ToolAnswer(returncode=0, stdout='{"smartctl": {"exit_status": 0}, "temperature": {"current": 30}}')

disks = [Disk(name=f"sd{c}", path=f"/dev/sd{c}", device_number="8:0", size_bytes=1) for c in "abcdefgh"]
read = smart.read_smart(disks, ask)
assert [one.temperature_celsius for one in read.values()] == [30] * 8
"""


@pytest.mark.slow
@pytest.mark.parametrize("script", [_FRESH_TYPES, _EIGHT_DISKS], ids=["fresh types", "eight disks"])
@pytest.mark.parametrize("attempt", range(5))
def test_threads_that_decode_a_type_for_the_first_time_do_not_crash(script: str, attempt: int) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"attempt {attempt}: {done.returncode}, {done.stderr}"


class _Pair(Record, frozen=True, kw_only=True):
    number: int


def test_a_type_is_decoded_from_text_bytes_and_plain_values() -> None:
    assert (
        decode_json('{"number": 7}', _Pair)
        == decode_json(b'{"number": 7}', _Pair)
        == to_record({"number": 7}, _Pair)
    )


@pytest.mark.slow
def test_nothing_is_decoded_past_that_place() -> None:
    """msgspec's own decoders learn a type without a lock; see `raidtui.model.struct`."""
    folder = Path(raidtui.__file__).parent
    found = [
        path.relative_to(folder)
        for path in folder.rglob("*.py")
        if path != folder / "model" / "struct.py"
        and any(map(_decodes, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    ]
    assert found == []


def _decodes(node: ast.AST) -> bool:
    modules = {"json", "toml", "yaml", "msgpack"}
    if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "msgspec":
        return bool({alias.name for alias in node.names} & {"decode", "Decoder", "convert", *modules})
    if not (isinstance(node, ast.Attribute) and node.attr in {"decode", "Decoder", "convert"}):
        return False
    named = ast.unparse(node)
    return named == "msgspec.convert" or named in {
        f"msgspec.{module}.{what}" for module in modules for what in ("decode", "Decoder")
    }
