"""The spec file: what may be written, what is refused and in which words, and that writing and reading agree."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.backends.md.geometry import CONSISTENCIES
from raidtui.backends.registry import FOLDERS
from raidtui.backends.registry import backend as known
from raidtui.backends.specfile import (
    FILESYSTEM_TYPES,
    read_spec,
    write_spec,
)
from raidtui.model.errors import BadInput
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.tomlfile import find_line
from raidtui.model.units import KIB, MIB, TIB

WHOLE = """\
# what we want
name = "tank"                  # the array's name
backend = "mdadm"
level = "raid5"
members = ["WD-WCC7K1A", "WD-WCC7K1B",
           "WD-WCC7K1C"]
spares = ["WD-WCC7K1D"]
chunk = "512KiB"
layout = "left-symmetric"
metadata = "1.2"
consistency = "bitmap"
partition = true
reserve = "100MiB"

[filesystem]
type = "ext4"
label = "photos"
mountpoint = "/srv/photos"
"""


def refusal(text: str, origin: str = "tank.toml") -> str:
    """The sentence with which ``text`` is refused."""
    with pytest.raises(BadInput) as caught:
        read_spec(text, origin=origin)
    return str(caught.value)


def with_line(line: str, *, below: str = 'name = "t"\nlevel = "raid1"\n') -> str:
    return below + line + "\n"


def test_everything_that_can_be_said_is_read() -> None:
    assert read_spec(WHOLE, origin="tank.toml") == Spec(
        name="tank",
        backend=Backend.MDADM,
        level="raid5",
        members=("WD-WCC7K1A", "WD-WCC7K1B", "WD-WCC7K1C"),
        spares=("WD-WCC7K1D",),
        chunk=512 * KIB,
        layout="left-symmetric",
        metadata="1.2",
        consistency="bitmap",
        partition=True,
        reserve=100 * MIB,
        filesystem=FilesystemSpec(type="ext4", label="photos", mountpoint="/srv/photos"),
    )


def test_a_name_a_level_and_members_are_enough() -> None:
    spec = read_spec('name = "t"\nlevel = "raid1"\nmembers = ["A", "B"]', origin="t")
    assert spec == Spec(name="t", level="raid1", members=("A", "B"))


def test_sizes_stand_in_place_of_disks_to_calculate() -> None:
    spec = read_spec(
        with_line('sizes = ["4TB", "7811891200s"]\nspares = ["4TB"]'),
        origin="t",
    )
    assert spec.sizes == (4 * 10**12, 7811891200 * 512)
    assert spec.spare_sizes == (4 * 10**12,)
    assert spec.members == spec.spares == ()


def test_a_mark_of_byte_order_is_not_part_of_the_text() -> None:
    assert read_spec("\ufeff" + WHOLE, origin="t").name == "tank"


def test_the_words_for_mdadms_levels_are_those_that_can_be_calculated() -> None:
    assert set(known(Backend.MDADM).levels) == set(MD_LEVELS)


def test_all_of_the_nearest_words_are_named() -> None:
    said = refusal('name = "tank"\nbackend = "zfs"\nlevel = "raid-z"\nmembers = ["a", "b", "c"]\n')
    assert said.endswith("'raid-z' is not a valid level; did you mean 'raidz1'?")
    said = refusal('name = "tank"\nbackend = "zfs"\nlevel = "raidz7"\nmembers = ["a", "b", "c"]\n')
    assert said.endswith("'raidz7' is not a valid level; did you mean 'raidz1', 'raidz2' or 'raidz3'?")


@pytest.mark.parametrize(
    ("backend", "level", "meant"),
    [
        ("lvm", "stripe", "striped"),
        ("mdadm", "mirror", "raid1"),
        ("mdadm", "5", "raid5"),
        ("lvm-on-md", "stripe", "raid0"),
        ("btrfs", "linear", "single"),
        ("zfs", "raid6", "raidz2"),
        ("zfs", "raid10", "mirror"),
    ],
)
def test_another_tools_word_for_a_level_names_the_one_that_is_meant(
    backend: str, level: str, meant: str
) -> None:
    said = refusal(f'name = "tank"\nbackend = "{backend}"\nlevel = "{level}"\n')
    assert said == f"tank.toml, line 3: {level!r} is not a valid level; did you mean {meant!r}?"


def test_the_older_type_of_lvm_names_the_one_that_replaces_it() -> None:
    said = refusal('name = "tank"\nbackend = "lvm"\nlevel = "mirror"\n')
    assert said.endswith(
        "line 3: 'mirror' is not a valid level; it is LVM's older type; use 'raid1', which replaces it (lvmraid(7))"
    )


@pytest.mark.parametrize(
    ("level", "those"),
    [
        ("raidz1", "zfs"),
        ("hybrid1", "hybrid"),
        ("raid50", "lvm-on-md, megaraid and adaptec"),
        ("raid1c3", "btrfs"),
    ],
)
def test_a_level_of_another_backend_names_that_one(level: str, those: str) -> None:
    said = refusal(f'name = "tank"\nlevel = "{level}"\n')
    assert said.startswith(
        f"tank.toml, line 2: {level!r} is not a valid level; it is a level of {those}; valid values here: "
    )
    assert said.endswith("raid1, raid4, raid5, raid6, raid10")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("perc", "megaraid"),
        ("storcli", "megaraid"),
        ("arcconf", "adaptec"),
        ("MD", "mdadm"),
        ("single", "disk"),
    ],
)
def test_the_name_of_a_tool_or_maker_names_its_backend(word: str, meant: str) -> None:
    said = refusal(f'name = "tank"\nbackend = "{word}"\nlevel = "raid1"\n')
    assert said == f"tank.toml, line 2: {word!r} is not a valid backend; did you mean {meant!r}?"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('chunks = "64KiB"', "line 3: there is no key 'chunks'; did you mean 'chunk'?"),
        ('mountpoint = "/srv"', "line 3: there is no key 'mountpoint'; mountpoint belongs below [filesystem]"),
        ('[filesystem]\ntype = "ext4"\nlevel = "raid1"', "line 5: there is no key 'level'; level belongs above"),
        ('[filesystem]\ntype = "ext5"', "line 4: 'ext5' is not a valid type; did you mean 'ext4'?"),
        ('[filesystem]\nmountpoint = "/srv"', "line 3: the filesystem has no type; write type ="),
        ('filesystem = "ext4"', "line 3: filesystem is a section: write [filesystem]"),
        ('filesystem = { type = "ext4", lable = "x" }', "line 3: there is no key 'lable'; did you mean 'label'?"),
        ('filesystem.type = "zfs"', 'line 3: ZFS is a backend: write backend = "zfs" above [filesystem]'),
        ("chunk = 64", 'line 3: chunk 64 has no unit; write it with one in quotation marks: "512KiB"'),
        ('chunk = "64"', "line 3: chunk: '64' has no unit; write for example 64GB, 64GiB or 64s (sectors)"),
        ('chunk = "64Kib/s"', "line 3: chunk: '64Kib/s' is not a size"),
        ('reserve = "1 XB"', "line 3: reserve: '1 XB' has the unknown unit 'XB'"),
        ("reserve = true", 'line 3: reserve must be a size such as "512KiB", not true or false'),
        (f'reserve = "{"9" * 300}"', "line 3: '9999"),
        ('sizes = [4, "4TB"]', "line 3: sizes 4 has no unit"),
        ('sizes = "4TB"', "line 3: sizes must be a list"),
        ("metadata = 1.2", 'line 3: metadata must be text, not a number; write metadata = "1.2"'),
        ('metadata = "1.3"', "line 3: '1.3' is not a valid metadata; did you mean"),
        ('consistency = "bitmaps"', "line 3: 'bitmaps' is not a valid consistency; did you mean 'bitmap'?"),
        ('partition = "yes"', "line 3: partition must be true or false, without quotation marks, not text"),
        ('members = "A"', 'line 3: members must be a list, such as members = ["SERIAL-1", "SERIAL-2"]'),
        ('members = ["A", 5]', "line 3: members must be a list of strings; '5' is a number"),
        ("layout = 2024-01-01", "line 3: layout must be text, not a date or time"),
        ('initialization = "full"', "line 3: backend = 'mdadm' has no key 'initialization'; leave it out"),
        ('backend = "mdraid"', "line 3: 'mdraid' is not a valid backend; did you mean 'mdadm'?"),
        ('members = ["A"]\nsizes = ["4TB"]', "line 4: sizes replace members"),
        ('members = ["A"', "tank.toml, line 3: the list has no closing ]"),
        ('members = ["A"\nchunk = "64KiB"', "line 3: the list has no closing ]"),
        ('members = ["A" "B"]', "line 3: the list has no closing ], or a comma between two values is missing"),
        ("members = [WD-1, WD-2]", 'line 3: text needs quotation marks: "WD-1"'),
        ("sizes = [4TB, 4TB]", 'line 3: text needs quotation marks: "4TB"'),
        ('level = "raid1"', "line 3: level is set twice"),
        ('chunk = "64KiB', "tank.toml, line 3: the quotation mark is not closed"),
        ('chunk = "64KiB\nlayout = "n2"', "tank.toml, line 3: the quotation mark is not closed"),
        ("chunk = '64KiB", "tank.toml, line 3: the quotation mark is not closed"),
        ("chunk = '64KiB\nlayout = 'n2'", "tank.toml, line 3: the quotation mark is not closed"),
        ('layout = """n2\n\n', 'line 3: the text that begins with """ is not closed'),
        ("chunk = 64KiB", 'line 3: text needs quotation marks: "64KiB"'),
        ("layout = n2", 'line 3: text needs quotation marks: "n2"'),
        ("layout = “n2”", 'line 3: use straight quotation marks: "'),
        ("layout =", "line 3: a value is missing"),
        ('layout == "n2"', "line 3: write one =, not two"),
        ("partition = True", "line 3: write true in lower case"),
        ('layout: "n2"', "line 3: there is no = after the key; write KEY = VALUE"),
        ('layout = "n2" chunk = "64KiB"', 'line 3: one key on a line: chunk = "64KiB" does not belong here'),
        ('layout = "C:\\n2 \\d"', r"line 3: a backslash between quotation marks is written \\"),
        ("[filesystem", "line 3: the [ of the section has no closing ]"),
        ("[filesystem]\n[filesystem]", "line 4: there is a second section [filesystem]"),
        ("= 3", "line 3: this is neither KEY = VALUE nor [SECTION]"),
        ("filesystem = { type = 'xfs'", "line 3: the { has no closing } in its line"),
        ('layout = "\x07"', "line 3: there is a control character"),
        ("x = " + "[" * 5000, "brackets are nested too deeply"),
        ("x = " + "9" * 5000, "line 3: a number has too many digits"),
        ('layout = "n2"\rchunk = "64KiB"', "line 3: it ends with a carriage return alone; save the file with"),
        (r'layout = "\ud800"', r"line 3: what follows \u is the number of no character"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_with_its_line_and_the_nearest_word(line: str, sentence: str) -> None:
    said = refusal(with_line(line))
    assert said.startswith("tank.toml")
    assert sentence in said
    assert "\n" not in said
    assert len(said) < 250


@pytest.mark.parametrize(
    ("level", "meant"), [("raid-5", "raid5"), ("RAID5", "raid5"), ("raid 10", "raid10"), ("linaer", "linear")]
)
def test_a_misspelt_level_names_the_right_one(level: str, meant: str) -> None:
    said = refusal(f'name = "t"\n\nlevel = "{level}"\n')
    assert said == f"tank.toml, line 3: {level!r} is not a valid level; did you mean {meant!r}?"


@pytest.mark.parametrize("level", ["?", "raid7"])
def test_a_level_that_is_near_nothing_or_to_all_of_them_lists_all(level: str) -> None:
    assert "valid values: raid0, linear" in refusal(f'name = "t"\nlevel = "{level}"')


def test_every_level_that_can_be_calculated_can_be_written_in_a_spec() -> None:
    words = {(name, level) for name in FOLDERS for level in known(name).levels}
    assert {(Backend.LVM, "striped"), (Backend.ZFS, "stripe"), (Backend.HYBRID, "hybrid1")} <= words
    for name, level in words:
        spec = read_spec(f'name = "t"\nbackend = "{name}"\nlevel = "{level}"', origin="t")
        assert (spec.backend, spec.level) == (name, level)


def test_each_backend_has_its_own_words_for_levels() -> None:
    assert read_spec('name = "t"\nbackend = "zfs"\nlevel = "raidz2"', origin="t").level == "raidz2"
    assert "'raid5' is not a valid level" in refusal('name = "t"\nbackend = "zfs"\nlevel = "raid5"')


@pytest.mark.parametrize("text", ["", 'name = "t"', 'level = "raid1"', "# nothing\n"])
def test_a_spec_without_name_or_level_says_so(text: str) -> None:
    assert re.search(r"the key '(name|level)' is missing", refusal(text))


def test_the_line_is_that_of_the_right_section() -> None:
    text = (
        'name = "t"\nnote = """\nlabel = 1\n[filesystem]\n"""\n[other]\nlabel = 2\n[filesystem]\nlabel = 3\n'
    )
    assert find_line(text, "label", "filesystem") == 9
    assert find_line(text, "name", "") == 1
    assert find_line(text, "absent", "") == 0


def test_what_a_file_says_cannot_rewrite_the_terminal() -> None:
    said = refusal('name = "t"\nlevel = "\\u001b[2J\\u202e"', origin="a\x1b[2J.toml")
    assert said.isprintable()


names = st.text(min_size=1, max_size=40)
sizes = st.integers(min_value=0, max_value=64 * TIB)
some_sizes = st.lists(sizes, max_size=4).map(tuple)
some_names = st.lists(names, max_size=4).map(tuple)


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    backend = draw(st.sampled_from(list(FOLDERS)))
    sized = draw(some_sizes)
    options, own = known(backend).options, known(backend).own_filesystem
    metadata = options.get("metadata")
    words = (metadata.taken or metadata.choices) if metadata is not None else ()
    fixes = draw(st.sampled_from([(), ("erc",), ("mail", "timeout"), ("erc", "alerts")]))
    return Spec(
        name=draw(names),
        backend=backend,
        level=draw(st.sampled_from(list(known(backend).levels))),
        members=() if sized else draw(some_names),
        spares=() if sized or "spares" not in options else draw(some_names),
        sizes=sized,
        spare_sizes=draw(some_sizes) if sized and "spares" in options else (),
        chunk=draw(st.none() | sizes) if "chunk" in options else None,
        layout=draw(st.none() | names) if "layout" in options else None,
        metadata=draw(st.none() | st.sampled_from(words)) if words else None,
        consistency=draw(st.none() | st.sampled_from(CONSISTENCIES)) if "consistency" in options else None,
        partition=draw(st.none() | st.booleans()),
        reserve=draw(st.none() | sizes),
        slice=draw(st.none() | sizes),
        persistent=draw(st.booleans()),
        fixes=fixes,
        alerts=draw(st.sampled_from([(), ("root", "ntfys://ntfy.sh/x")])) if "alerts" in fixes else (),
        filesystem=FilesystemSpec(
            type=draw(st.sampled_from((own,) if own else FILESYSTEM_TYPES)),
            label=draw(st.just("") | names),
            mountpoint=draw(st.just("") | names),
        ),
    )


@given(specs())
def test_what_is_written_reads_back_equal(spec: Spec) -> None:
    assert read_spec(write_spec(spec), origin="t") == spec


@given(st.text() | st.text(alphabet='abelnmv="[]{}.#\n 0123').map(lambda tail: with_line(tail)))
def test_any_text_is_a_spec_or_is_refused_in_one_sentence(text: str) -> None:
    try:
        read_spec(text, origin="t")
    except BadInput as error:
        assert str(error).isprintable()  # noqa: PT017


def test_a_backend_that_is_its_own_filesystem_takes_a_mount_point_without_a_type() -> None:
    text = 'name = "t"\nbackend = "btrfs"\nlevel = "raid1"\n[filesystem]\nmountpoint = "/srv/a"\n'
    spec = read_spec(text, origin="t")
    assert spec.filesystem == FilesystemSpec(type="btrfs", mountpoint="/srv/a")
    assert read_spec(write_spec(spec), origin="t") == spec
    unsaid = replace(spec, filesystem=FilesystemSpec(label="a", mountpoint="/srv/a"))
    assert read_spec(write_spec(unsaid), origin="t").filesystem.label == "a"
    said = refusal(text.replace("mountpoint", 'type = "ext4"\nmountpoint'))
    assert "line 5: 'ext4' is not a valid type; valid values: btrfs" in said
