"""What pvs says of physical volumes, as recorded from lvm2 2.03.16, and what old and broken ones say."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.machine.ask import ToolAnswer
from raidtui.machine.tree import Tree
from raidtui.machine.volumes import read_physical_volumes
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.errors import StepFailed

# A group of which /dev/ubdb is gone; the columns that are asked for.
PARTIAL = """{
      "report": [
          {
              "pv": [
                  {"pv_name":"/dev/ubda", "vg_name":"gone", "vg_uuid":"B4boEo-hsl5-uT3d-fe9B-vj0I-6PSD-gZ2WHR", "pv_count":"3", "vg_missing_pv_count":"1", "vg_systemid":"", "vg_lock_type":"", "vg_exported":""},
                  {"pv_name":"/dev/ubdc", "vg_name":"gone", "vg_uuid":"B4boEo-hsl5-uT3d-fe9B-vj0I-6PSD-gZ2WHR", "pv_count":"3", "vg_missing_pv_count":"1", "vg_systemid":"", "vg_lock_type":"", "vg_exported":""},
                  {"pv_name":"[unknown]", "vg_name":"gone", "vg_uuid":"B4boEo-hsl5-uT3d-fe9B-vj0I-6PSD-gZ2WHR", "pv_count":"3", "vg_missing_pv_count":"1", "vg_systemid":"", "vg_lock_type":"", "vg_exported":""}
              ]
          }
      ]
  }
"""
FOREIGN = """{"report": [{"pv": [
 {"pv_name":"/dev/ubda", "vg_name":"data", "vg_uuid":"4AFOgP-wuoC", "pv_count":"1", "vg_missing_pv_count":"0", "vg_systemid":"other-host", "vg_lock_type":"none", "vg_exported":"exported"}]}]}"""


class Lvm:
    """Answers as the programs of lvm2 did, and remembers what it was asked."""

    def __init__(self, *, pvs: str, systemid: str = "", devices_file: bool = True, code: int = 0) -> None:
        self.pvs, self.systemid, self.devices_file, self.code = pvs, systemid, devices_file, code
        self.asked: list[list[str]] = []

    def __call__(self, argv: Sequence[str]) -> ToolAnswer:
        self.asked.append(list(argv))
        if argv[1] == "systemid":
            return ToolAnswer(returncode=0, stdout=f"  system ID: {self.systemid}\n")
        if "--devicesfile" in argv and not self.devices_file:
            return ToolAnswer(returncode=3, stderr="pvs: unrecognized option '--devicesfile'")
        return ToolAnswer(returncode=self.code, stdout=self.pvs)


def read(tmp_path: Path, lvm: Lvm) -> dict[str, object]:
    return dict(read_physical_volumes(Tree(tmp_path), DeviceGraph(()), lvm))


def test_a_missing_physical_volume_is_counted_and_has_no_name(tmp_path: Path) -> None:
    found = read_physical_volumes(Tree(tmp_path), DeviceGraph(()), Lvm(pvs=PARTIAL))
    assert list(found) == ["ubda", "ubdc"]
    assert {(one.group, one.group_devices, one.missing) for one in found.values()} == {("gone", 3, 1)}
    assert found["ubda"].group_uuid == "B4boEohsl5uT3dfe9Bvj0I6PSDgZ2WHR"


def test_all_physical_volumes_are_asked_for_whoever_owns_them(tmp_path: Path) -> None:
    lvm = Lvm(pvs=PARTIAL)
    read(tmp_path, lvm)
    (words,) = lvm.asked
    assert {"--readonly", "--foreign", "--shared"} < set(words)
    assert words[words.index("--devicesfile") + 1] == ""


def test_an_lvm_that_knows_no_devices_file_is_asked_without(tmp_path: Path) -> None:
    lvm = Lvm(pvs=PARTIAL, devices_file=False)
    assert list(read(tmp_path, lvm)) == ["ubda", "ubdc"]
    assert [("--devicesfile" in words) for words in lvm.asked] == [True, False]


@pytest.mark.parametrize(
    ("own", "other"), [("", "other-host"), ("this-host", "other-host"), ("other-host", "")]
)
def test_a_group_with_a_system_id_is_anothers_unless_it_is_ours(tmp_path: Path, own: str, other: str) -> None:
    (found,) = read_physical_volumes(Tree(tmp_path), DeviceGraph(()), Lvm(pvs=FOREIGN, systemid=own)).values()
    assert (found.other_system, found.cluster, found.exported) == (other, "", True)


def test_the_own_system_id_is_asked_for_only_where_a_group_has_one(tmp_path: Path) -> None:
    lvm = Lvm(pvs=PARTIAL)
    read(tmp_path, lvm)
    assert [words[1] for words in lvm.asked] == ["pvs"]


def test_what_could_be_read_counts_though_one_group_is_broken(tmp_path: Path) -> None:
    assert list(read(tmp_path, Lvm(pvs=PARTIAL, code=5))) == ["ubda", "ubdc"]


def test_words_of_lvm_between_the_lines_of_json_are_left_out(tmp_path: Path) -> None:
    """Where metadata is damaged, LVM prints so on the same stream (2.03.16)."""
    begin, middle, end = PARTIAL.partition('"pv"')
    assert middle
    text = f"{begin}\n  Retrying metadata scan.\n{middle}{end}\n  Retrying metadata scan.\n"
    assert list(read(tmp_path, Lvm(pvs=text))) == ["ubda", "ubdc"]


@pytest.mark.parametrize("cut", range(0, len(PARTIAL) - 2, 97))
def test_a_report_that_breaks_off_is_unknown(tmp_path: Path, cut: int) -> None:
    with pytest.raises(StepFailed, match="cannot read, so it is unknown"):
        read(tmp_path, Lvm(pvs=PARTIAL[:cut]))


@pytest.mark.parametrize("text", ["", "{}", '{"report": []}', "no PVs"])
def test_a_report_that_is_none_is_unknown(tmp_path: Path, text: str) -> None:
    with pytest.raises(StepFailed, match="cannot read, so it is unknown"):
        read(tmp_path, Lvm(pvs=text))


@pytest.mark.parametrize("text", ['{"report": [{}]}', '{"report": [{"pv": []}]}'])
def test_a_report_without_physical_volumes_says_that_there_are_none(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, Lvm(pvs=text)) == {}


def test_columns_that_an_old_lvm_leaves_out_are_empty(tmp_path: Path) -> None:
    (found,) = read_physical_volumes(
        Tree(tmp_path), DeviceGraph(()), Lvm(pvs='{"report": [{"pv": [{"pv_name": "/dev/sda"}]}]}')
    ).values()
    assert (found.group, found.group_devices, found.missing, found.exported) == ("", 0, 0, False)
