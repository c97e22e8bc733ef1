"""Read fstab, crypttab and mdadm.conf: which devices they name, in use or not."""

from collections.abc import Iterator
from typing import Final

from raidtui.machine.mounts import unescape
from raidtui.machine.tree import Tree
from raidtui.model.config_lines import Name, link_of, name_in
from raidtui.model.errors import StepFailed
from raidtui.model.paths import MDADM_CONFS
from raidtui.model.struct import Record
from raidtui.model.system import ConfiguredArray
from raidtui.model.units import MIB

_LARGEST: Final = MIB  # of each file: a thousand times the usual


class Reference(Record, frozen=True, kw_only=True):
    """A device named in a configuration file."""

    file: str
    name: Name
    line: str
    use: str = ""  # its mount point, "swap", or its name in crypttab


def read_references(tree: Tree, mdadm_conf: str) -> tuple[Reference, ...]:
    """Read every device that the three files name.

    Raises:
        StepFailed: one is there and cannot be read; what it names is unknown.
    """
    for path in ("/etc/fstab", "/etc/crypttab", *MDADM_CONFS):
        if why := tree.why_not_read(path, most=_LARGEST):
            raise StepFailed(f"{path}: {why}")
    return (
        *_fstab(tree),
        *_crypttab(tree),
        *(
            Reference(file=mdadm_conf, name=Name(tag="MD_UUID", value=word.partition("=")[2]), line=line)
            for line in array_lines(tree, mdadm_conf)
            for word in line.split()[1:]
            if word.lower().startswith("uuid=")
        ),
    )


def fstab_lines(tree: Tree) -> tuple[str, ...]:
    """The lines of /etc/fstab without comments and empty lines, but with leading blanks, as needed to remove them."""
    return tuple(line for line in _raw_lines(tree, "/etc/fstab") if _has_content(line))


def crypttab_lines(tree: Tree) -> tuple[str, ...]:
    """The lines of /etc/crypttab that name a device, likewise."""
    lines = (line for line in _raw_lines(tree, "/etc/crypttab") if _has_content(line))
    return tuple(line for line in lines if len(line.split()) >= 2)


def lead_to(tree: Tree, line: str) -> str:
    """The node that a line of fstab mounts now, by udev's links, as mount(8) finds it; empty if there is none."""
    source = next(iter(line.split()), "")
    name = tree.device_named(link_of(name_in(unescape(source))))
    return f"/dev/{name}" if name and tree.exists(f"/sys/class/block/{name.replace('/', '!')}") else ""


def array_lines(tree: Tree, mdadm_conf: str) -> tuple[str, ...]:
    """The ARRAY lines of mdadm.conf, continuation lines joined."""
    return tuple(entry.text for entry in array_entries(tree, mdadm_conf))


def array_entries(tree: Tree, mdadm_conf: str) -> tuple[ConfiguredArray, ...]:
    """The ARRAY lines of mdadm.conf and mdadm.conf.d, joined and as written."""
    return tuple(entry for entry in _mdadm_conf(tree, mdadm_conf) if _is(entry.text, "array"))


def device_words(tree: Tree, mdadm_conf: str) -> tuple[str, ...]:
    """The words of mdadm.conf's DEVICE lines: where mdadm looks for members; empty: everywhere."""
    return _words(tree, mdadm_conf, "device")


def auto_words(tree: Tree, mdadm_conf: str) -> tuple[str, ...]:
    """The words of mdadm.conf's AUTO line: what mdadm starts without an ARRAY line; empty: everything."""
    return _words(tree, mdadm_conf, "auto")


def mail_address(tree: Tree, mdadm_conf: str) -> str:
    """MAILADDR, which mdadm mails when an array loses a member; empty if not set."""
    return _first_word(tree, mdadm_conf, "mailaddr")


def event_program(tree: Tree, mdadm_conf: str) -> str:
    """PROGRAM, which mdadm runs at each event; empty if not set."""
    return _first_word(tree, mdadm_conf, "program")


def lines_ending(tree: Tree, mdadm_conf: str, end: str) -> tuple[str, ...]:
    """The lines of mdadm.conf itself that end so."""
    return tuple(line for line in _raw_lines(tree, mdadm_conf) if line.endswith(end))


def _words(tree: Tree, mdadm_conf: str, key: str) -> tuple[str, ...]:
    lines = (entry.text for entry in _mdadm_conf(tree, mdadm_conf) if _is(entry.text, key))
    return tuple(word for line in lines for word in line.split()[1:])


def _first_word(tree: Tree, mdadm_conf: str, key: str) -> str:
    for entry in _mdadm_conf(tree, mdadm_conf):
        if _is(entry.text, key):
            return "".join(entry.text.split()[1:2])
    return ""


def find_mdadm_conf(tree: Tree) -> str:
    """The path of mdadm.conf on this system, or where it would be: Debian has it in /etc/mdadm."""
    for path in MDADM_CONFS:
        if tree.exists(path):
            return path
    return (
        MDADM_CONFS[0] if tree.exists("/etc/debian_version") or tree.exists("/etc/mdadm") else MDADM_CONFS[1]
    )


def _fstab(tree: Tree) -> Iterator[Reference]:
    for line in fstab_lines(tree):
        words = line.split()
        if len(words) >= 2:
            use = "swap" if words[2:3] == ["swap"] else unescape(words[1])
            yield from _reference("/etc/fstab", words[0], line.strip(), use)


def _crypttab(tree: Tree) -> Iterator[Reference]:
    for line in crypttab_lines(tree):
        words = line.split()
        yield from _reference("/etc/crypttab", words[1], line.strip(), words[0])


def _reference(file: str, source: str, line: str, use: str) -> Iterator[Reference]:
    name = name_in(unescape(source))
    if name.tag != "PATH" or name.value.startswith("/dev/"):
        yield Reference(file=file, name=name, line=line, use=use)


def _raw_lines(tree: Tree, path: str) -> Iterator[str]:
    content = tree.bytes(path)
    for line in content.decode(errors="replace").split("\n") if len(content) <= _LARGEST else ():
        yield line.rstrip()


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _mdadm_conf(tree: Tree, path: str) -> Iterator[ConfiguredArray]:
    """The entries of mdadm.conf; a line that starts with a blank continues the one before (mdadm.conf(5))."""
    files = [path, *(f"{path}.d/{name}" for name in tree.names(f"{path}.d") if name.endswith(".conf"))]
    for file in files:
        text = ""
        lines: list[str] = []
        for line in [*_raw_lines(tree, file), "end"]:
            content = line.partition("#")[0]
            if content[:1].isspace():
                if content.strip():
                    text, lines = f"{text} {content.strip()}", [*lines, line]
                continue
            if text:
                yield ConfiguredArray(text=text, file=file, lines=tuple(lines))
            text, lines = content.strip(), [line]


def _is(line: str, keyword: str) -> bool:
    """Whether a line begins with ``keyword``; mdadm accepts three letters of it or more, in any case."""
    word = line.split()[0].lower()
    return len(word) >= 3 and keyword.startswith(word)
