"""A condition never holds because its tool is broken: absent, failing, hanging, printing rubbish or nothing.

Each kind has a small world here in which it holds, as its shell function in an exported script sees it. Then each tool
that it asks breaks in every way, one at a time. Its Python form is asked with every tool broken.
"""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from raidtui.backends.conditions import every_condition
from raidtui.machine import ask as asking
from raidtui.machine.ask import ToolAnswer
from raidtui.model.answer import Truth
from raidtui.plan.script import shell_functions
from raidtui.steps import devices
from tests.unit.card_machines import recorded, without_volumes

NODE = "/dev/sda1"
UUID = "d4d83b0f-02a7-5db3-8211-760bcd28fcd1"
BASE = ("cat", "sed", "grep", "awk", "tr", "cut", "sort", "wc", "head", "tail", "readlink", "ls", "find", "mktemp", "rm", "timeout")  # fmt: skip
MODES = {
    "absent": "",
    "fails": "echo 'error: it does not work' >&2; echo failed; exit 1",
    "hangs": "exec sleep 30",
    "prints rubbish": "echo '<html>It works!</html>'; echo 'rubbish 1 2 3'",
    "prints nothing": "exit 0",
}
DRIVES = '"EID:Slt": "252:0", "State": "UGood", "DG": "-", "SN": "S-1"'
WIPEFS = "case $1 in --version) echo 'wipefs from util-linux 2.38.1' ;; esac"
MD_UUID = "echo MD_UUID=11111111:22222222:33333333:44444444"
DONE = "Command completed successfully."


class World(NamedTuple):
    """A world in which a condition holds."""

    tools: dict[str, str]  # what each tool does, by its name
    args: Sequence[str]  # of the shell function; {tmp} is the folder of the world
    files: Mapping[str, str] = MappingProxyType({})  # in {tmp}


def says(text: str) -> str:
    """A tool that prints ``text``."""
    return f"cat <<'TEXT'\n{text}\nTEXT"


def by_words(**answers: str) -> str:
    """A tool whose answer depends on a word among its arguments."""
    cases = "".join(f"*{word}*) {says(text)}\n;;\n" for word, text in answers.items())
    return f'case "$*" in\n{cases}esac'


STORCLI = (
    f'case "$*" in\n*vall*)\n{says(recorded("9270-vall.json").replace("Consistency Check (36%)", "None"))}\n;;\n'
    f"*) {says(recorded('9270-c0.json'))}\n;;\nesac"
)
ARCCONF = by_words(
    AD=f"Logical devices/Failed/Degraded : 1/0/0\n{DONE}",
    LD=f"Logical Device number 0\n   Logical Device name : tank\n{DONE}",
    PD=f"   State : Ready\n   Serial number : S-1\n   Write Cache : Disabled (write-through)\n{DONE}",
    GETSTATUS=f"Current operation : None\n{DONE}",
)
VOLUME = '{"DG/VD" : "0/1"\n"TYPE" : "RAID5"\n"State" : "Optl"\n"Name" : "tank"\n"EID:Slt" : "252:0"\n"EID:Slt" : "252:1"}'
MIGRATES = {"storcli": by_words(migrate='"VD Operation Status" : {"Status" : "In progress"}', all=VOLUME)}
GREW = {"storcli": by_words(migrate='"VD Operation Status" : {"Status" : "Not in progress"}', all=VOLUME)}
LOGICAL = (
    "Logical Device number 0\n   Logical Device name : tank\n   RAID level : 5\n   Status of Logical Device : Optimal\n"
    f"   Segment 0 : Present (a)\n   Segment 1 : Present (b)\n   Segment 2 : Present (c)\n{DONE}"
)
RECONFIGURES = {"arcconf": by_words(GETSTATUS=f"Current operation : Reconfiguration\n{DONE}", LD=LOGICAL)}
RECONFIGURED = {"arcconf": by_words(GETSTATUS=f"Current operation : None\n{DONE}", LD=LOGICAL)}
SPARE = by_words(PD=f"   State : Global Hot-Spare\n   Serial number : S-1\n{DONE}")
JSON = '{ "report": [ { "%s": [ ] } ] }'
SUPER = f"csum\t\t\t0x1 [match]\nfsid\t\t\t{UUID}\nnum_devices\t\t3"
IMAGES = " [data_rimage_0] /dev/sda(1)\n [data_rimage_0] /dev/sdc(0)\n [data_rmeta_0] /dev/sda(0)\n [data_rimage_1] /dev/sdb(1)"
IN_SYNC = by_words(
    vg_missing_pv_count="0", copy_percent="  data 100.00 idle 3 ", segments="  [data_rimage_0]  ",
    vg_name=UUID, vg_uuid=UUID,
)  # fmt: skip
ARRAY = {
    "sys/block/md0/md/uuid": f"{UUID}\n",
    "sys/block/md0/md/raid_disks": "3\n",
    "sys/block/md0/md/array_state": "clean\n",
    "sys/block/md0/md/level": "raid5\n",
}
MEMBER = {"sys/block/md0/md/dev-sda1/state": "in_sync\n", "sys/block/md0/md/dev-sda1/slot": "0\n"}
FIRMWARE = {
    "sys/block/md126/md/metadata_version": "external:/md127/0\n",
    "sys/block/md126/md/array_state": "clean\n",
    "sys/block/md127/md/metadata_version": "external:imsm\n",
} | {f"sys/block/{name}/md/dev-{NODE.removeprefix('/dev/')}/": "" for name in ("md126", "md127")}
WHOLE = {"sys/block/md0/md/degraded": "0\n", "sys/block/md0/md/sync_action": "idle\n"} | {
    f"sys/block/md0/md/dev-{name}/{file}": text
    for name in ("sda1", "sdb1", "sdc1")
    for file, text in (("state", "in_sync\n"), ("bad_blocks", ""), ("unacknowledged_bad_blocks", ""))
}
CHECKED = {
    f"sys/block/md0/md/{name}": f"{text}\n"
    for name, text in {
        "sync_action": "idle", "last_sync_action": "check", "mismatch_cnt": "0", "sync_min": "0"
    }.items()
}  # fmt: skip
RESHAPED = {
    "sys/block/md0/md/raid_disks": "4\n",
    "sys/block/md0/md/reshape_position": "none\n",
    "sys/block/md0/size": "2048\n",
}
PLACED = {
    "sys/block/md0/md/reshape_position": "none\n",
    "sys/block/md0/md/dev-sda1/offset": "1792\n",
    "sys/block/md0/md/dev-sda1/new_offset": "1792\n",
}
MOUNTED = {f"sys/fs/btrfs/{UUID}/exclusive_operation": "none\n"}
OPENED = {f"sys/fs/btrfs/{UUID}/devices/sd{letter}1": "" for letter in "ab"}
REDUNDANT = (
    OPENED
    | {f"sys/fs/btrfs/{UUID}/devinfo/{devid}/missing": "0\n" for devid in (1, 2)}
    | {
        f"sys/fs/btrfs/{UUID}/allocation/{kind}/raid1/total_bytes": "1\n"
        for kind in ("data", "metadata", "system")
    }
)
COUNTED = {
    f"sys/fs/btrfs/{UUID}/devinfo/{devid}/error_stats": "write_errs 0\nread_errs 0\n" for devid in (1, 2)
}
GUID = "15341881706237869165"
GROWN = by_words(
    guid=f"tank\t{GUID}",
    status="""  pool: tank
 state: ONLINE
config:

	NAME           STATE     READ WRITE CKSUM
	tank           ONLINE       0     0     0
	  mirror-0     ONLINE       0     0     0
	    /dev/a     ONLINE       0     0     0
	    /dev/b     ONLINE       0     0     0
	  mirror-1     ONLINE       0     0     0
	    /dev/c     ONLINE       0     0     0
	    /dev/d     ONLINE       0     0     0
	spares
	  /dev/e       AVAIL

errors: No known data errors""",  # noqa: E101
)  # fmt: skip
RESILVERED = by_words(
    guid=f"tank\t{GUID}",
    status="  scan: scrub repaired 0B in 00:00:01 with 0 errors on Sun\nconfig:\n\n\tNAME STATE READ\n\ttank ONLINE 0\n"
    "\t  /dev/sda1 ONLINE 0\n\nerrors: No known data errors",
)
PARTITION = {"sys/class/block/sda1/start": "2048\n", "sys/class/block/sda1/size": "4096\n"}
QUEUE = {
    "sys/class/block/sda1/queue/minimum_io_size": "524288\n",
    "sys/class/block/sda1/queue/optimal_io_size": "1572864\n",
}
HOLDS = {
    "blank": World({"wipefs": WIPEFS}, [NODE]),
    "present": World({}, [NODE]),
    "absent": World({}, ["/dev/sdz"]),
    "numbered": World({}, [NODE, "8:1"], {"sys/class/block/sda1/dev": "8:1\n"}),
    "no-array": World({}, ["/dev/md_view"], {"sys/block/md_view/md/array_state": "clear\n"}),
    "view-read-only": World(
        {},
        ["/dev/md_view"],
        {
            "sys/block/md_view/ro": "1\n",
            "sys/block/md_view/md/array_state": "readonly\n",
            "sys/block/md_view/md/metadata_version": "none\n",
        },
    ),
    "partition": World({}, [NODE, "1048576", "2097152"], PARTITION),
    "unclaimed": World({"wipefs": WIPEFS}, [NODE]),
    "filesystem": World({"wipefs": f"echo ' ext4  {UUID} '"}, [NODE, "ext4", UUID]),
    "same-bytes": World(
        {name: f'exec {shutil.which(name)} "$@"' for name in ("dd", "sha256sum")},
        ["{tmp}/disk", "4096", "8192", hashlib.sha256(b"a" * 8192).hexdigest()],
        {"disk": "b" * 4096 + "a" * 8192 + "b"},
    ),
    "geometry": World(
        {"dumpe2fs": says("RAID stride:              128"), "xfs_info": ":"}, [NODE, "stride=128"]
    ),
    "mounted": World({"findmnt": f"echo {UUID}"}, ["/srv/tank", UUID]),
    "not-mounted": World(
        {"findmnt": 'case "$*" in *"--mountpoint /") echo / ;; *) exit 1 ;; esac'}, ["/srv/tank"]
    ),
    "directory": World({}, ["{tmp}/empty"], {"empty/": ""}),
    "line-in": World({}, ["{tmp}/fstab", "a b"], {"fstab": "x\na b \t\n"}),
    "line-not-in": World({}, ["{tmp}/fstab", "a c"], {"fstab": "x\na b"}),
    "array-runs": World({}, [UUID, "raid5", "3"], ARRAY),
    "array-gone": World({"mdadm": MD_UUID}, [UUID], ARRAY),
    "member-is": World({}, [NODE, UUID, "in-sync"], ARRAY | MEMBER),
    "member-gone": World({}, [NODE, UUID], ARRAY | {"sys/block/md0/md/dev-sdb1/state": "in_sync\n"}),
    "array-whole": World({}, [UUID], ARRAY | WHOLE),
    "array-lacks": World({}, [UUID], ARRAY | {"sys/block/md0/md/degraded": "1\n"}),
    "array-started": World({}, [UUID], ARRAY),
    "volumes-started": World({}, [NODE], FIRMWARE),
    "array-checked": World({}, [UUID], ARRAY | CHECKED),
    "array-synced": World({}, [UUID, "check"], ARRAY | CHECKED),
    "array-unheld": World({}, [UUID], ARRAY | CHECKED | {"sys/block/md0/md/sync_max": "max\n"}),
    "array-paced": World(
        {},
        [UUID, "1000"],
        ARRAY
        | {
            f"sys/block/md0/md/sync_speed_{which}": f"{text}\n"
            for which, text in {"min": "1 (local)", "max": "200000 (system)"}.items()
        },
    ),
    "array-writable": World({}, [UUID], ARRAY),
    "array-awake": World({}, [UUID], ARRAY),
    "writable": World({}, [NODE], {"sys/class/block/sda1/ro": "0\n"}),
    "no-trial": World({}, [NODE]),
    "array-consistency": World(
        {}, [UUID, "resync"], ARRAY | {"sys/block/md0/md/consistency_policy": "resync\n"}
    ),
    "array-at": World({}, [UUID, "/dev/md0"], ARRAY),
    "array-counts": World({}, [UUID, "4"], ARRAY | RESHAPED),
    "array-level": World({}, [UUID, "raid5"], ARRAY | {"sys/block/md0/md/level": "raid5\n"}),
    "array-reshapes": World({}, [UUID], ARRAY | {"sys/block/md0/md/reshape_position": "24576\n"}),
    "array-is": World({}, [UUID, "raid5", "4", "1048576"], ARRAY | RESHAPED),
    "array-placed": World({}, [UUID], ARRAY | PLACED),
    "data-begins": World(
        {"mdadm": says("    Data Offset : 1792 sectors\n         Events : 44")}, [NODE, "1792"]
    ),
    "array-in-sync": World({}, [UUID], ARRAY | CHECKED | {"sys/block/md0/md/resync_start": "none\n"}),
    "array-bitmap": World({}, [UUID, "off"], ARRAY | {"sys/block/md0/md/bitmap/location": "none\n"}),
    "fills": World(
        {"dumpe2fs": says("Block count:              262144\nBlock size:               4096")},
        [NODE, "ext4", "1073741824"],
    ),
    "lvm-reads": World({"lvm": says(" 125829120 4194304")}, [NODE]),
    "forgotten": World({"wipefs": WIPEFS}, [NODE]),
    "initramfs-has": World(
        {"unmkinitramfs": 'echo "ARRAY a" >"$2/mdadm.conf"'}, ["6.1", "ARRAY a"], {"boot/initrd.img-6.1": ""}
    ),
    "initramfs-lacks": World(
        {"unmkinitramfs": 'echo "ARRAY a" >"$2/mdadm.conf"'}, ["6.1", "ARRAY b"], {"boot/initrd.img-6.1": ""}
    ),
    "physical-volume": World({"lvm": f"echo '  {UUID}  1  '"}, [NODE, UUID]),
    "volume-group": World({"lvm": "echo ' tank 3 0 '"}, ["mark", "tank", "3"]),
    "volume-group-gone": World({"lvm": says(JSON % "vg")}, ["mark"]),
    "volume-runs": World(
        {"lvm": by_words(lv_name="data 4096 active", segtype="raid5", pv_count="3 0")},
        ["mark", "raid5", "3", "4096"],
    ),
    "lvm-uses": World(
        {"lvm": by_words(vg_uuid=f"  {UUID}  ", segments="  [data_rmeta_0]\n  [home_rimage_1]\n\n")},
        [NODE, UUID, "volume", "home"],
    ),
    "lvm-empty": World({"lvm": by_words(vg_uuid=f"  {UUID}  ", pv_used=" 0 ")}, [NODE, UUID]),
    "lvm-left": World(
        {
            "lvm": by_words(
                vg_missing_pv_count="0", reportformat='{ "report": [ { "pv": [ {"vg_uuid":""} ] } ] }'
            )
        },
        [NODE, UUID],
    ),
    "lvm-whole": World({"lvm": IN_SYNC}, [UUID, "data:3"]),
    "lvm-leg": World({"lvm": IN_SYNC}, [NODE, UUID, "data:3"]),
    "lvm-restored": World({"lvm": f"echo '  {UUID}  '"}, [NODE, UUID]),
    "lvm-volumes": World({"lvm": by_words(mismatch="  idle 0 ")}, [UUID, "equal"]),
    "lvm-volume-is": World(
        {"lvm": by_words(lv_active="4096 active", segtype="raid1", stripes="2", devices=IMAGES)},
        [UUID, "raid1", "2", "4096"],
    ),
    "volumes-gone": World({"lvm": says(JSON % "lv")}, ["mark"]),
    "name-free": World({}, ["{tmp}/free"]),
    "pool-runs": World(
        {
            "zfs": "printf 'tank\\tmark\\n'",
            "zpool": by_words(health="ONLINE", status="  /dev/a ONLINE 0\n  /dev/b ONLINE 0"),
        },
        ["mark", "tank", "2"],
    ),
    "pool-gone": World({"zpool": says("GUID\n123 ")}, ["456"]),
    "pool-name-free": World({"zpool": says("NAME\nvault")}, ["tank"]),
    "pool-empty": World(
        {
            "zpool": '[ "$2" = -H ] || echo NAME; echo tank',
            "zfs": "echo tank",
            "findmnt": 'echo "$TMP/empty"',
        },
        ["tank"],
        {"empty/": ""},
    ),
    "pool-mounted": World({"findmnt": "echo tank"}, ["/srv/tank", "tank"]),
    "pool-cached": World({"zpool": "echo -"}, ["tank"], {"etc/zfs/zpool.cache": "\1tank\1"}),
    "zfs-device": World({"zpool": RESILVERED}, [NODE, GUID, "member"]),
    "zfs-device-out": World({"zpool": RESILVERED.replace("sda1", "sdb1")}, [NODE, GUID]),
    "pool-beside": World({"zpool": RESILVERED}, [GUID]),
    "pool-whole": World({"zpool": RESILVERED}, [GUID]),
    "pool-shape": World({"zpool": GROWN}, [GUID, "mirror", "2", "2"]),
    "pool-holds": World({"zpool": GROWN, "zfs": "printf '100\\t900\\n'"}, [GUID, "1000"]),
    "pool-settled": World({"zpool": GROWN}, [GUID]),
    "pool-serves": World({"zpool": f"printf '{GUID}\\tDEGRADED\\n'"}, [GUID]),
    "service-enabled": World({"systemctl": "echo static"}, ["zfs.target"]),
    "btrfs-member": World({"btrfs": says(SUPER)}, [NODE, UUID, "3"]),
    "btrfs-device": World({}, [NODE, UUID, "member"], MOUNTED | {f"sys/fs/btrfs/{UUID}/devices/sda1": ""}),
    "btrfs-device-out": World({}, [NODE, UUID], MOUNTED),
    "btrfs-state": World({}, [UUID, "clean"], MOUNTED | REDUNDANT | COUNTED),
    "btrfs-redundant": World({}, [UUID], MOUNTED | REDUNDANT),
    "btrfs-profile": World({}, [UUID, "raid1", "raid1"], MOUNTED | REDUNDANT),
    "btrfs-fits": World(
        {
            "btrfs": says(
                "\tdevid    1 size 9000000 used 5000000 path /dev/sda1\n\tdevid    2 size 9000000 used 5000000 path /dev/sdb1"
            )
        },
        ["/srv/tank", UUID, "2", "9000000"],
        MOUNTED
        | REDUNDANT
        | {f"sys/fs/btrfs/{UUID}/allocation/{kind}/disk_total": "5000000\n" for kind in ("data", "metadata")},
    ),
    "btrfs-device-size": World(
        {"btrfs": says("\tdevid    2 size 999999999999 used 5 path /dev/sdb1")},
        ["/srv/tank", UUID, "2", "999999999999"],
    ),
    "data-start": World({"lvm": "echo ' 1572864'"}, [NODE, "1572864"]),
    "io-hints": World({}, [NODE, "524288", "1572864"], QUEUE),
    "card-drives-free": World({"storcli": says(f"{{{DRIVES}}}")}, ["storcli 0 drives", "252:0=S-1"]),
    "virtual-drive": World({"storcli": says('{"Name" : "tank"}')}, ["storcli 0 tank"]),
    "virtual-drive-gone": World({"storcli": STORCLI}, ["storcli 0 tank"]),
    "virtual-drive-initialized": World({"storcli": STORCLI}, ["storcli 0 5000000000000011", "full"]),
    "virtual-drive-path": World({}, [NODE]),
    "card-drives-serve": World(
        {"storcli": says(f"{{{DRIVES}}}".replace("UGood", "Rbld"))}, ["storcli 0 drives", "252:0=S-1"]
    ),
    "virtual-drive-optimal": World(
        {"storcli": says('"DG/VD" : "0/1"\n"State" : "Optl"\n"Name" : "tank"')}, ["storcli 0 tank"]
    ),
    "card-drives-copied": World(
        {"storcli": says(f"{{{DRIVES}}}".replace("UGood", "Cpybck"))}, ["storcli 0 drives", "252:0=S-1"]
    ),
    "card-drives-online": World(
        {"storcli": says(f"{{{DRIVES}}}".replace("UGood", "Onln"))}, ["storcli 0 drives", "252:0=S-1"]
    ),
    "card-drives-out": World({"storcli": says(f"{{{DRIVES}}}")}, ["storcli 0 drives", "252:0=S-1"]),
    "card-whole": World({"storcli": STORCLI}, ["storcli 0 5000000000000011"]),
    "virtual-drive-changing": World(MIGRATES, ["storcli 0 tank", "raid5", "1073741824", "252:0,252:1,252:2"]),
    "virtual-drive-grown-on-card": World(GREW, ["storcli 0 tank", "raid5", "1073741824", "252:1,252:0"]),
    "virtual-drive-grown": World(GREW, ["storcli 0 tank", "raid5", "1073741824", "252:0,252:1"]),
    "adaptec-changing": World(RECONFIGURES, ["arcconf 1 tank", "raid5", "1073741824", "0:0,0:1,0:2,0:3"]),
    "adaptec-grown-on-card": World(RECONFIGURED, ["arcconf 1 tank", "raid5", "1073741824", "0:0,0:1,0:2"]),
    "adaptec-grown": World(RECONFIGURED, ["arcconf 1 tank", "raid5", "1073741824", "0:0,0:1,0:2"]),
    "adaptec-drives-online": World(
        {"arcconf": by_words(PD=f"   State : Online\n   Serial number : S-1\n{DONE}")},
        ["arcconf 1 drives", "0:0=S-1"],
    ),
    "adaptec-whole": World(
        {
            "arcconf": by_words(
                LD=f"Logical Device number 0\n Logical Device name : tank\n Status of Logical Device : Optimal\n{DONE}",
                PD=f"   State : Online\n   Serial number : S-1\n{DONE}",
            )
        },
        ["arcconf 1 tank"],
    ),
    "adaptec-drives-serve": World({"arcconf": SPARE}, ["arcconf 1 drives", "0:0=S-1"]),
    "adaptec-volume-optimal": World(
        {
            "arcconf": says(
                f"Logical Device number 0\n Logical Device name : tank\n Status of Logical Device : Optimal\n{DONE}"
            )
        },
        ["arcconf 1 tank"],
    ),
    "adaptec-drives-free": World({"arcconf": ARCCONF}, ["arcconf 1 drives", "0:0=S-1"]),
    "adaptec-spares": World({"arcconf": SPARE}, ["arcconf 1 spares", "0:0=S-1"]),
    "adaptec-volume": World({"arcconf": ARCCONF}, ["arcconf 1 tank"]),
    "adaptec-volume-created": World({"arcconf": ARCCONF}, ["arcconf 1 tank"]),
    "adaptec-volume-gone": World({"arcconf": ARCCONF}, ["arcconf 1 vault"]),
    "adaptec-initialized": World({"arcconf": ARCCONF}, ["arcconf 1 tank", "full"]),
    "adaptec-drive-cache": World({"arcconf": ARCCONF}, ["arcconf 1 caches", "0:0=off"]),
}
# Other worlds: initramfs of dracut, nothing at all.
MORE = {
    "initramfs-lacks": World(
        {"lsinitrd": 'case $1 in -f) echo "ARRAY a" ;; *) echo "Image: $1: 30M" ;; esac'},
        ["6.1", "ARRAY b"],
    ),
    "virtual-drive-gone": World(
        {
            "storcli": f'case "$*" in *vall*) echo \'"Command Status" : No VDs have been configured\' ;; *)\n'
            f"{says(without_volumes(recorded('9270-c0.json')).replace(',', chr(10)))}\n;;\nesac"
        },
        ["storcli 0 tank"],
    ),
    "lvm-volumes": World({"lvm": "echo '  active  '"}, [UUID, "alive"]),
    "lvm-volumes copied": World({"lvm": "echo '  [pvmove0] 100.00'; echo '  data  '"}, [UUID, "copied"]),
    "lvm-volumes moved": World({"lvm": "echo '  [data_rimage_0]'; echo '  data  '"}, [UUID, "moved"]),
    "lvm-volumes unheld": World({"lvm": "echo '  check  '; echo '  '; echo '  idle  '"}, [UUID, "unheld"]),
    "pool-gone": World({"zpool": "echo no pools available"}, ["456"]),
}
WORLDS = [*HOLDS.items(), *MORE.items()]
NAMES = [*HOLDS, *(f"{kind} otherwise" for kind in MORE)]


def holds(tmp: Path, kind: str, world: World, broken: str = "", mode: str = "") -> bool:
    """Whether the shell function of ``kind`` holds, with the tool ``broken`` in this way."""
    kind = kind.partition(" ")[0]
    for name, text in world.files.items():
        path = tmp / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_text(text)
    (tmp / "tools").mkdir(exist_ok=True)
    for name in (*BASE, "sleep", "dash"):
        if name != broken:
            (tmp / "tools" / name).symlink_to(shutil.which(name) or name)
    for name, script in {**world.tools, **({broken: MODES[mode]} if broken else {})}.items():
        if script:
            (tmp / "tools" / name).write_text(f"#!{shutil.which('dash')}\n{script}\n")
            (tmp / "tools" / name).chmod(0o755)
    if broken and mode == "absent":
        (tmp / "tools" / broken).unlink(missing_ok=True)
    functions = shell_functions()
    for place in ("/sys/", "/boot/", "/etc/zfs/"):
        functions = functions.replace(place, f"{tmp}{place}")
    stubs = f'is_there() {{ [ "$1" = {NODE} ]; }}\nis_there_by_link() {{ is_there "$1"; }}\nnode_of() {{ echo {NODE}; }}'
    args = " ".join(f"'{word.format(tmp=tmp)}'" for word in world.args)
    # As `must` asks it: without -e, whose place every function must take itself.
    limit = 0.1 if mode == "hangs" else 15
    text = f"{functions}\n{stubs}\nPATH={tmp}/tools\ntimeout={limit}\nif {every_condition()[kind].shell} {args}; then exit 0; fi; exit 9"
    done = subprocess.run(
        [shutil.which("dash") or "dash", "-c", text], capture_output=True, text=True, timeout=20, check=False,
        env={"PATH": "/usr/bin:/bin", "TMP": str(tmp)},
    )  # fmt: skip
    return done.returncode == 0


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(("kind", "world"), WORLDS, ids=NAMES)
def test_a_condition_holds_in_its_world_and_never_while_a_tool_of_it_is_broken(
    tmp_path: Path, kind: str, world: World
) -> None:
    def run(number: int, broken: str = "", mode: str = "") -> bool:
        (tmp_path / str(number)).mkdir()
        return holds(tmp_path / str(number), kind, world, broken, mode)

    assert run(0)
    cases = [(tool, mode) for tool in world.tools for mode in MODES if world.tools[tool] != ":"]
    cases += [("timeout", "absent")] if world.tools else []
    found = [case for number, case in enumerate(cases, 1) if run(number, *case)]
    assert found == []


# Not on the way that this world takes.
NOT_NEEDED = {
    ("sed", "virtual-drive"), ("sed", "virtual-drive-optimal"), ("sed", "fills"), ("grep", "virtual-drive-optimal"), ("cat", "array-gone"), ("tr", "virtual-drive-changing"),
    ("sed", "array-runs"), ("readlink", "array-runs"), ("tr", "array-runs"),  # only for the volume of a firmware RAID
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("tool", ["grep", "sed", "ls", "readlink", "cat", "tr"])
def test_nothing_is_gone_or_empty_because_a_tool_of_the_shell_is_missing(tmp_path: Path, tool: str) -> None:
    for kind, world in HOLDS.items():
        source = every_condition()[kind].source
        words = f"{source} grep" if re.search("lacks |unlike ", source) else source
        if re.search(rf"\b{tool}\b", words) and (tool, kind) not in NOT_NEEDED:
            (tmp_path / kind).mkdir()
            assert not holds(tmp_path / kind, kind, world, tool, "absent"), kind


def test_every_kind_of_condition_has_a_world_here() -> None:
    assert set(HOLDS) == set(every_condition())


# --- The Python form

# They ask the kernel itself, /etc and the devices, and no tool.
OF_THE_KERNEL = {
    "present", "absent", "numbered", "view-read-only", "no-array", "partition", "unclaimed", "mounted", "not-mounted", "directory", "line-in", "line-not-in", "array-runs",
    "array-gone", "member-is", "member-gone", "array-whole", "array-lacks", "array-started", "volumes-started", "array-checked", "array-synced", "array-unheld", "array-paced", "array-consistency", "array-writable", "array-awake", "writable", "no-trial", "array-at", "array-counts", "array-level", "array-reshapes", "array-is", "array-placed", "array-in-sync", "array-bitmap", "name-free", "pool-mounted", "btrfs-member", "btrfs-device", "btrfs-device-out", "btrfs-redundant", "btrfs-state", "btrfs-profile", "btrfs-fits", "btrfs-device-size", "io-hints", "virtual-drive-path",
}  # fmt: skip
ANSWERS = {
    "absent": ToolAnswer(returncode=None, stderr="it is not installed"),
    "fails": ToolAnswer(returncode=1, stdout="failed\n", stderr="error: it does not work"),
    "hangs": ToolAnswer(returncode=None, stderr="it did not end within 120 s"),
    "prints rubbish": ToolAnswer(returncode=0, stdout="<html>It works!</html>\nrubbish 1 2 3\n"),
    "prints nothing": ToolAnswer(returncode=0),
}


@pytest.mark.parametrize("mode", ANSWERS)
@pytest.mark.parametrize("kind", sorted(set(HOLDS) - OF_THE_KERNEL))
def test_no_condition_holds_in_python_while_its_tools_are_broken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, mode: str
) -> None:
    def broken(*_: object, **__: object) -> Any:
        return ANSWERS[mode]

    image = tmp_path / "initrd.img-6.1"
    image.touch()
    monkeypatch.setattr("raidtui.steps.initramfs._IMAGES", (f"{tmp_path}/initrd.img-{{release}}",))
    monkeypatch.setattr(asking, "find_tool", lambda name: name)
    for name in ("ask", "ask_patiently", "ask_card"):
        for module in ("raidtui.machine.contents.stripes", "raidtui.steps.enlarge", "raidtui.steps.initramfs", "raidtui.machine.contents.signatures",
                       "raidtui.backends.lvm.conditions", "raidtui.backends.zfs.conditions",
                       "raidtui.backends.megaraid.conditions", "raidtui.backends.adaptec.conditions",
                       "raidtui.backends.megaraid.conditions", "raidtui.backends.adaptec.conditions",
                       "raidtui.backends.megaraid.conditions"):  # fmt: skip
            monkeypatch.setattr(f"{module}.{name}", broken, raising=False)
    for name in ("probe", "wipefs_answers"):
        monkeypatch.setattr(f"raidtui.machine.contents.signatures.{name}.__kwdefaults__", {"ask": broken})
    monkeypatch.setattr(devices, "device_number", lambda path: "8:1")
    monkeypatch.setattr("raidtui.backends.md.conditions.device_number", lambda path: "8:1")
    monkeypatch.setattr(devices, "partition_numbers", lambda number: ())
    monkeypatch.setattr(devices, "node", lambda number: NODE)
    monkeypatch.setattr(devices, "_read_error", lambda path: "")
    monkeypatch.setattr("raidtui.steps.filesystems.device_number", lambda path: "8:1")
    subject, *expect = (word.format(tmp=tmp_path) for word in HOLDS[kind].args)
    found = every_condition()[kind]
    wanted = {"geometry": "stride=0"}.get(kind, " ".join(expect))
    answer = found.ask(found.of(subject, wanted), lambda path: False)
    assert answer.truth is Truth.UNKNOWN, answer.text
    assert answer.text.isprintable()
