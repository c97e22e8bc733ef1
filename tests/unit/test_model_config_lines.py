"""How a line of fstab names a device: every spelling of a name is the same name."""

import msgspec
import pytest

from raidtui.model.config_lines import ArrayNames, Name, Names, decoded, encoded, link_of, name_in

NAMES = Names(
    paths=frozenset({"/dev/sda1", "/dev/disk/by-id/ata-A-part1"}),
    uuids=frozenset({"abcd"}),
    labels=frozenset({"my data"}),
    partition_uuids=frozenset({"ef01"}),
    partition_labels=frozenset({"Part", ""}),
    array_uuids=frozenset({"9a9a"}),
)


@pytest.mark.parametrize(
    "source",
    [
        "UUID=AB-CD",
        "uuid='ab-cd'",
        "/dev/disk/by-uuid/ab-cd",
        "LABEL=my data",
        r"/dev/disk/by-label/my\x20data",
        "PARTUUID=EF01",
        "PARTLABEL=Part",
        "/dev/disk/by-partlabel/Part",
        "ID=ata-A-part1",
        "/dev/disk//by-id/ata-A-part1",
        "/dev/sda1",
    ],
)
def test_every_spelling_is_one_of_the_names(source: str) -> None:
    assert NAMES.have(name_in(source))


@pytest.mark.parametrize(
    "source",
    [
        "UUID=ef01",
        "UUID=",
        "PARTLABEL=",
        "LABEL=My Data",
        "PARTLABEL=part",
        "/dev/sda",
        "tmpfs",
        "nas:/x",
        "PARTUUID=abcd",
    ],
)
def test_another_name_is_not(source: str) -> None:
    assert not NAMES.have(name_in(source))


def test_an_array_is_named_by_its_uuid_in_any_spelling() -> None:
    assert NAMES.have(Name(tag="MD_UUID", value="9A:9A"))
    assert not NAMES.have(Name(tag="MD_UUID", value="abcd"))


@pytest.mark.parametrize("label", ["my data", "größe", "a/b", r"back\slash", "plain-1.2"])
def test_the_link_of_a_label_leads_back_to_it(label: str) -> None:
    assert decoded(encoded(label)) == label
    link = link_of(Name(tag="LABEL", value=label))
    assert link.startswith("/dev/disk/by-label/")
    assert "/" not in link.removeprefix("/dev/disk/by-label/")
    assert name_in(link) == Name(tag="LABEL", value=label)
    assert link_of(Name(tag="PATH", value="/dev/sda")) == "/dev/sda"


ARRAY = ArrayNames(uuid="9a9a", full=frozenset({"lab:tank"}), name="tank", paths=frozenset({"/dev/md/tank"}))


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("ARRAY /dev/md/other metadata=1.2 UUID=9A:9A", True),
        ("ARRAY /dev/md/tank UUID=abcd name=lab:tank", False),
        ("ARRAY <ignore> name=lab:tank", True),
        ("ARRAY <ignore> Name=tank", True),
        ("ARRAY <ignore> name=nas:tank", False),
        ("ARRAY /dev/md/tank", True),
        ("ARRAY /dev/md/tank name=other", False),
        ("ARRAY /dev/md/other", False),
        ("ARRAY", False),
    ],
)
def test_what_an_array_line_of_mdadm_conf_means(line: str, means: bool) -> None:
    assert ARRAY.are_in(line) is means


def test_a_name_without_a_host_means_no_array_if_two_have_it() -> None:
    shared = msgspec.structs.replace(ARRAY, name="")
    assert not shared.are_in("ARRAY <ignore> name=tank")
    assert shared.are_in("ARRAY <ignore> name=lab:tank")
    stopped = msgspec.structs.replace(ARRAY, full=frozenset())
    assert stopped.are_in("ARRAY <ignore> name=nas:tank"), "its own host is not known"


def test_a_link_to_a_partition_of_an_array_is_one_to_the_array() -> None:
    names = Names(paths=frozenset({"/dev/disk/by-id/md-name-lab:tank", "/dev/disk/by-id/ata-X"}))
    assert names.have(name_in("/dev/disk/by-id/md-name-lab:tank-part1"))
    assert not names.have(name_in("/dev/disk/by-id/md-name-lab:tank2-part1"))
    assert not names.have(name_in("/dev/disk/by-id/ata-X-part1"))
