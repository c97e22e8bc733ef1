"""A pool named tank, a raidz1 of three partitions with a spare, as OpenZFS 2.1.11 reports it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from raidtui.backends.zfs.report import Dataset, Other, Pool, PoolReport, Status
from raidtui.backends.zfs.status_text import parse_status
from raidtui.machine.ask import ToolAnswer
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Mount, Partition, Signature, Weight
from raidtui.model.plan import Run, Step
from raidtui.steps.partitions import ZFS_MEMBER
from tests.unit.plan_machines import disk, machine

DATA: Final = Path(__file__).parent / "data" / "zfs"
GUID: Final = "15341881706237869165"
MARK: Final = "e53e1013-5137-5041-b007-556d283e5278"
HEALTHY: Final = """\
  pool: tank
 state: ONLINE
config:

	NAME           STATE     READ WRITE CKSUM
	tank           ONLINE       0     0     0
	  raidz1-0     ONLINE       0     0     0
	    /dev/sda1  ONLINE       0     0     0
	    /dev/sdb1  ONLINE       0     0     0
	    /dev/sdc1  ONLINE       0     0     0
	spares
	  /dev/sdd1    AVAIL   

errors: No known data errors
"""  # noqa: E101, W291


def recorded(name: str) -> str:
    """What a command of OpenZFS printed: 2.1.11, or 2.3.9 where the name says 2.3."""
    return (DATA / name).read_text()


def status(text: str = HEALTHY) -> Status:
    """The only pool in the output of ``zpool status``."""
    (found,) = parse_status(text)
    return found


def pool(text: str = HEALTHY, **changes: Any) -> Pool:
    """The pool tank with the status ``text``."""
    found = Pool(
        name="tank",
        guid=GUID,
        size_bytes=2_684_354_560,
        allocated_bytes=835_584,
        free_bytes=2_683_518_976,
        ashift=12,
        status=status(text),
    )
    return msgspec.structs.replace(found, **changes)


def dataset(name: str = "tank", **changes: Any) -> Dataset:
    """A filesystem of the pool; all inherit the property that the build set."""
    found = Dataset(
        name=name,
        used_bytes=556_512,
        available_bytes=1_653_047_840,
        mountpoint=f"/srv/{name}",
        mounted=True,
        properties={"recordsize": "131072", "compression": "lz4"},
        plan=MARK,
    )
    return msgspec.structs.replace(found, **changes)


def report(
    its: Pool | None = None, *, datasets: Sequence[Dataset] | None = None, **changes: Any
) -> PoolReport:
    """What ZFS reports."""
    found = PoolReport(
        version="2.1.11",
        module=True,
        pools=(its or pool(),),
        datasets=(dataset(),) if datasets is None else tuple(datasets),
    )
    return msgspec.structs.replace(found, **changes)


def others(**changes: Any) -> PoolReport:
    """What ZFS reports if the pool was exported by another computer."""
    other = Other(
        name="tank",
        guid=GUID,
        state="ONLINE",
        host="attic",
        exported=True,
        devices=("/dev/sda1", "/dev/sdb1"),
    )
    return PoolReport(version="2.1.11", module=True, others=(msgspec.structs.replace(other, **changes),))


def zfs_disk(
    number: int, *, used: bool = True, guid: str = GUID, label: str = "tank", **changes: Any
) -> Disk:
    """A disk with one partition in the pool."""
    path = f"/dev/sd{'abcdefgh'[number - 1]}"
    member = Signature(device=f"{path}1", offset=258048, type="zfs_member", uuid=guid, label=label)
    partition = Partition(
        name=path[5:] + "1",
        path=f"{path}1",
        number=1,
        start_bytes=2**20,
        size_bytes=9_893_314_560,
        type=ZFS_MEMBER,
        uuid=MARK if number == 1 else f"e53e1013-5137-5041-b007-55600000000{number}",
        signatures=(member,),
    )
    claim = Claim(
        what=ClaimKind.ZFS,
        weight=Weight.BUSY if used else Weight.DATA,
        device=f"{path}1",
        detail='member of the imported ZFS pool "tank"',
        how_to_free="zpool export tank",
    )
    table = Signature(device=path, offset=512, type="gpt")
    given = {
        "partitions": (partition,),
        "signatures": (table,),
        "partition_table": "gpt",
        "free": False,
        "taken_by": (claim,),
    }
    return disk(number, **given | changes)


def zfs_machine(
    found: PoolReport | None = None, *disks: Disk, mounted: bool = True, **system: Any
) -> Machine:
    """A computer with the pool on disks 1 to 4, mounted at /srv/tank."""
    mount = Mount(source="tank", target="/srv/tank", type="zfs", device_number="0:42")
    return msgspec.structs.replace(
        machine(*(disks or (zfs_disk(n) for n in (1, 2, 3, 4))), **system),
        readings={"zfs": msgspec.to_builtins(found or report())},
        mounts=(mount,) if mounted else (),
    )


def answers(known: Mapping[str, str]) -> Any:
    """Fake programs: answers by the first words of a command; all other commands fail."""

    def ask(argv: Sequence[str]) -> ToolAnswer:
        line = " ".join(argv)
        found = next((text for words, text in known.items() if line.startswith(words)), None)
        return ToolAnswer(returncode=1) if found is None else ToolAnswer(returncode=0, stdout=found)

    return ask


def unlabelled(step: Step) -> list[str]:
    """The devices whose labels a resumed job erases, unless they are of a pool, before it repeats ``step``."""
    runs = [one for one in step.repair if isinstance(one, Run)]
    assert [one.argv[:-1] for one in runs] == [("zpool", "labelclear"), ("wipefs", "--all")] * (
        len(runs) // 2
    )
    assert [one.ok for one in runs] == [(0, 255), (0,)] * (len(runs) // 2), "1: it is of a pool"
    return [one.argv[-1] for one in runs[::2]]
