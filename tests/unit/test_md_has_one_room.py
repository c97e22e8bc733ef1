"""mdadm outside its backend: a short list of files whose code knows it, each with its reason, and sentences for people."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import raidtui

ROOT: Final = Path(raidtui.__file__).parent
MDADM: Final = "mdadm"
OWN: Final = ("backends/md/", "lab/")
REASONS: Final = {
    "advice/findings/alerts.py": "whether mdadm's monitor runs, mails, and can",
    "backends/hybrid/builder.py": "its bands are arrays of md",
    "backends/hybrid/new_bands.py": "its new bands are arrays of md",
    "advice/findings/foreign.py": "an array that mdadm.conf names is used here, whoever made it",
    "backends/lvm_on_md/base.py": "it is made of arrays of md",
    "commands/alerts.py": "what mdadm.conf has for alerts",
    "backends/reading.py": "a reading has mdadm.conf",
    "machine/alerts.py": "whether mdadm's monitor runs, mails, and can",
    "advice/findings/beneath.py": "a missing member may be on an array that is not started",
    "advice/findings/mounts_expected.py": "mdadm.conf says what an array is called",
    "jobs/sending/proof.py": "the test of its monitor",
    "plan/alerts.py": "the mail address and the program of its monitor",
    "backends/registry.py": "the row of every backend",
    "commands/rehearsal/rehearsal.py": "the lab of a rehearsal gets the mdadm.conf of this computer",
    "commands/doctor.py": "doctor says where mdadm.conf is on a distribution that was not tried",
    "jobs/disk_contents.py": "the capsule of a disk keeps what mdadm prints of a member",
    "machine/md/arrays.py": "arrays are claims on disks, read with every machine; mdadm's map has their names",
    "machine/md/uuids.py": "the kernel writes the UUIDs of old arrays in another order than mdadm",
    "machine/md/container_disks.py": "mdadm alone reads the metadata of firmware RAIDs",
    "machine/configured.py": "mdadm.conf says which arrays are assembled at boot",
    "machine/taken/freeing.py": "the commands that free a disk of an array",
    "machine/live_words.py": "completes the arrays that mdadm.conf names, here or not",
    "machine/taken/owners.py": "a tool that has a disk open is waited for, not ended",
    "machine/taken/processes.py": "a program that looks at a disk for a moment is no use of it",
    "machine/reader.py": "a reading has mdadm.conf",
    "machine/scrub.py": "whether somebody scrubs once a month",
    "machine/system.py": "a reading has mdadm.conf, what starts degraded arrays at boot, and whether a monitor runs",
    "machine/tools.py": "the table of tools, with the version that is needed",
    "model/alerts.py": "whether mdadm's monitor mails, and to whom",
    "machine/md/made_again.py": "mdadm.conf may give the name of an array to another",
    "model/paths.py": "where mdadm.conf may be",
    "model/result.py": "a result of an earlier raidtui names no backend, and is of md",
    "model/spec.py": "the word of a spec for the backend",
    "model/system.py": "a reading has mdadm.conf",
    "plan/durations.py": "the table of how long programs commonly take",
    "steps/initramfs.py": "an initramfs has its own copy of mdadm.conf",
    "plan/script_parts.py": "the capsule of a script, as that of a job",
}
"""Files whose code names mdadm; in all others it is a word for people."""


def names_in(text: str) -> Iterator[str]:
    """Identifiers and strings of a module that have it in them; not comments and docstrings."""
    tree = ast.parse(text)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value
        for attribute in ("id", "attr", "name", "arg", "module"):
            if isinstance(word := getattr(node, attribute, None), str):
                yield word


def is_sentence(text: str) -> bool:
    """Whether it is for people: more than a command, a path or a program's name, or a page of the manual."""
    return (len(text.split()) > 2 and not text.startswith("#")) or f"{MDADM}(8)" in text


def test_the_code_outside_its_backend_that_knows_mdadm_is_a_short_list() -> None:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        if not where.startswith(OWN):
            code = [
                text for text in names_in(path.read_text()) if MDADM in text.lower() and not is_sentence(text)
            ]
            if code:
                found[where] = code
    assert set(found) == set(REASONS), {where: found.get(where) for where in set(found) ^ set(REASONS)}


def test_what_it_looks_for_is_found() -> None:
    text = '"""mdadm."""\nimport os  # mdadm\nrun("mdadm", "--stop")\nsay("Use mdadm instead of it.")\n'
    assert [one for one in names_in(text) if MDADM in one and not is_sentence(one)] == ["mdadm"]
