"""The words about findings that every command and screen shows, and a page for each kind of finding. Pure."""

from collections.abc import Callable
from typing import Final

from raidtui.advice.findings.unit_pages import UNIT_PAGES, note_page, warning_page
from raidtui.backends.unit_words import with_noun
from raidtui.model.finding import Concerned, Finding, Kind, Remedy
from raidtui.model.procedure import word_of
from raidtui.model.unit import Unit

PAGES: Final = {
    **UNIT_PAGES,
    Kind.SUPERBLOCK_GONE: warning_page(
        data="{name} RUNS, AND STARTS WITHOUT A MEMBER NEXT TIME",
        means="The superblock of a member is not on its disk, as after a new partition table or a wipe. The kernel still knows the member, so the array runs as if nothing had happened.",
        waiting="After a reboot, or if the array is stopped, it lacks this member. What else was overwritten comes back as wrong data.",
        first="md writes the superblocks again at the end of a check. The check also finds data that was overwritten: a partition table has a copy at the end of the disk.",
        never="Do not stop the array and do not reboot before. Do not repair mismatches: md may copy what is wrong over what is right.",
    ),
    Kind.FAILING_DISK: warning_page(
        data="{name} IS WHOLE, AND A DISK OF IT IS FAILING",
        means="The disk reports that it is failing, or has sectors that it cannot read. Disks that do so fail far more often in the following months.",
        waiting="Redundancy is full until it fails. Then a rebuild must read all the other disks without an error.",
        first="Its data is copied to the new disk while it stays in place, so redundancy never drops.",
        never="Do not pull it or mark it failed first: until the copy is done it is the best source of its data.",
    ),
    Kind.WORSENING_DISK: warning_page(
        data="DISK {name} STILL WORKS, AND ITS ERRORS GROW",
        means="Counts of bad sectors or failed reads have grown on several days of the last month, or by many on one. Disks on which they grow fail far more often in the following months than those on which they stand still.",
        waiting="It may work for months or fail tonight. While it works, replacing it costs no redundancy.",
        first="Its data is copied to the new disk while it stays in place.",
        never="Do not build an array on it. Do not pull it or mark it failed before its data is elsewhere.",
    ),
    Kind.WORN_DISK: note_page(
        data="DISK {name} WORKS",
        means="Transfers arrive damaged and are repeated, which is mostly the cable or its connector. Or the flash will have reached its rated life within half a year.",
        waiting="Damaged transfers make it slow, and a controller may drop it from its array. Flash past its rated life may become read-only.",
        first="A cable is checked with the computer switched off. Nothing is written.",
        never="Do not replace the disk for damaged transfers before the cable was replaced: the new disk would have them too.",
    ),
    Kind.NO_BITMAP: note_page(
        data="{name} IS WELL; IT HAS NO WRITE-INTENT BITMAP",
        means="A write-intent bitmap records which parts of the array are being written. mdadm makes one for large arrays, so somebody turned it off, or created the array without one.",
        waiting="After a power cut, md resyncs all of the array, for hours, and until then a disk failure may lose data. A disk that was only disconnected is rebuilt as a whole.",
        first="With a bitmap md resyncs only what was being written. Writes become a little slower.",
        never="Do not add it while the array is being rebuilt or reshaped.",
    ),
    Kind.NEVER_SCRUBBED: note_page(
        data="{name} IS WELL; NOTHING SCRUBS IT REGULARLY",
        means="A scrub reads every member whole and compares. No timer and no line of cron on this computer starts one.",
        waiting="A sector that became unreadable stays unnoticed until another disk fails. Then it is needed and is lost.",
        first="It enables the timer that comes with the distribution, or one of raidtui's own, and touches no disk.",
        never="Do not schedule a repair in place of a check: a repair also writes what is wrong.",
    ),
    Kind.ERROR_RECOVERY: note_page(
        data="{name} IS WELL; ONE BAD SECTOR CAN COST IT A DISK",
        means="These drives retry a bad sector for minutes. The kernel waits for less, then resets the drive, and the array drops it. Drives made for arrays give up after seven seconds, and the sector is read from another member.",
        waiting="Nothing happens until a sector cannot be read. During a rebuild that may be the second failure.",
        first="It sets a limit of seven seconds where the drive has one, and else the timeout of the kernel. A udev rule does so at every boot. No data is touched.",
        never="Do not rebuild onto or from such disks before: a rebuild reads every sector.",
    ),
    Kind.SLOW_MEMBER: warning_page(
        data="{name} IS WELL; ONE DISK HAS BECOME SLOWER",
        means="During the last sync or scrub one disk took longer than the others to read the same amount. That is new, or the others are of its model. Retried reads cause it, and so does a link with errors.",
        waiting="The whole array is as slow as this disk. A disk that retries more and more often fails soon.",
        first="Look at its health (raidtui health), its cable and its port. If another slot does not help, replace it while it still works.",
        never="Do not pull a disk before you have compared its serial number, or seen its light blink.",
    ),
    Kind.MORE_MISMATCHES: warning_page(
        data="{name} HAS ALL ITS DISKS; EACH SCRUB FINDS MORE",
        means="Two scrubs in a row found something, and the last one found more. A disk, a cable or the memory may change data without an error.",
        waiting="What is wrong on one disk is not seen until it is read. More of it may be wrong at the next scrub.",
        first="A further scrub shows whether it still grows. Test the memory, and look at the counts of each disk (smartctl -x) meanwhile.",
        never="Do not repair while it grows: a repair writes one copy over the others, also if it is the wrong one.",
    ),
    Kind.SCRUBBED_TWICE: note_page(
        data="{name} IS WELL; TWO SCHEDULES SCRUB IT",
        means="More than one timer or line of cron starts a scrub of it. Each reads all of its disks.",
        waiting="Its disks are read twice as often as intended, and one scrub may stop the other.",
        first="It keeps one schedule and disables the other timers. No disk is touched.",
        never="Do not remove both: then nobody learns of a sector that became unreadable.",
    ),
    Kind.BOOT_DISK: note_page(
        data="{name} IS WELL; THE COMPUTER BOOTS FROM ONE DISK ONLY",
        means="The system is on several disks and survives the loss of one. The partition that the computer starts from is on one of them alone, as installers make it.",
        waiting="When that disk fails, everything runs until the next reboot. Then the computer does not start, though all data is there.",
        first="With a boot partition on each disk, the computer starts whichever disk is missing. Copy it again after each update of the boot loader.",
        never="Do not format or move the partition that is there: the computer starts from it now.",
    ),
    Kind.DEGRADED_BOOT: note_page(
        data="{name} DOES NOT START AT BOOT IF A DISK IS MISSING",
        means="mdadm starts an array at boot when all its members are there. If one is missing, something else must start it after a while, and nothing on this computer does.",
        waiting="Nothing happens until a disk fails and the computer is booted again. Then the array stays stopped until somebody starts it.",
        first="The timer that comes with mdadm starts such an array after 30 seconds.",
        never="Do not reboot to see whether a failed disk comes back, as long as nothing starts the array without it.",
    ),
    Kind.MOUNTED_DEGRADED: note_page(
        data="{name} IS WELL; A BOOT WITHOUT ONE OF ITS DISKS WOULD GO UNNOTICED",
        means="With the option degraded Btrfs is mounted though a disk is missing, and takes every write. What is written then may have no copy on another disk, also after the disk is back.",
        waiting="Nothing happens until a disk is missing at boot, be it a loose cable. Then its copies become old, and new data has none.",
        first="It changes a line of fstab and touches no disk. Without the option, and with nofail, the computer boots and the filesystem waits for a person.",
        never="Do not mount now the one disk and now the other alone: each then has data that the other lacks, and nothing can join them.",
    ),
    Kind.CARD_FOREIGN: warning_page(
        data="{name}: AN ARRAY THAT IS NOT THIS CARD'S OWN; IT IS STILL ON ITS DRIVES",
        means="Drives behind the card hold a configuration that the card does not use. Another card made it, or this one before it lost the drives. While it is there, the card takes these drives for nothing else.",
        waiting="Nothing changes on these drives. If they belong to a virtual drive that is missing or degraded, its data cannot be used, or is less redundant, until then.",
        first="To look changes nothing, and shows whether it is an array that you need, and whether it is complete. Imported without some of its drives, it comes up degraded or offline.",
        never="Do not clear it to get rid of the message: that loses the array. Do not import it over one that is in use: members that are out of date would come back.",
    ),
    Kind.CARD_DRIVES: note_page(
        data="{name}: A DRIVE HAS FAILED THAT IS IN NO VIRTUAL DRIVE",
        means="The card calls these drives bad or offline, and no virtual drive that it describes has them. A hot spare has taken their place, or they were in none, or their virtual drive is gone.",
        waiting="The virtual drives that are listed do not get worse. There is a drive less for the next failure.",
        first="Only you know which virtual drives should be here. If all are, the drive can go; if one is not, what is on these drives may be all that is left of it.",
        never="Do not set a drive good or online to see whether it works again. Its data is out of date, and the card would use it.",
    ),
    Kind.FOREIGN: note_page(
        data="{name} WAS MADE BY ANOTHER SYSTEM; LOOKING WRITES NOTHING",
        means="These disks come from a NAS or another computer. Their partitions, or the host in the name of an array, say so. All arrays that belong together are shown as one.",
        waiting="Nothing changes on the disks while nothing here starts the arrays for writing.",
        first="Read-only is enough to look and to copy. The disks stay as they are, so their own system still accepts them.",
        never="Do not start a resync, a rebuild or a check of the filesystem here: each writes. The system that the disks come from may not accept the result.",
    ),
    Kind.ALERTS_OFF: note_page(
        data="{name} ARE NOT SET: NOBODY HEARS OF A DISK THAT FAILS",
        means="An array with a failed disk works as before. Without an alert people notice the first failure when the second one takes the data.",
        waiting="Nothing happens until a disk fails.",
        first="A mail address or a URL is enough. A test shows that it arrives.",
        never="Do not rely on a mail address in mdadm.conf that has never received a test.",
    ),
    Kind.ALERTS_UNPROVEN: note_page(
        data="{name} ARE SET; NOBODY HAS SEEN ONE ARRIVE",
        means="Passwords expire, mail is taken for spam, and people change their address. Only a test that arrived proves that an alert will.",
        waiting="The first alert that does not arrive may be the one about a failed disk.",
        first="A test is sent with a code on each way. The code that arrives is the proof, and its date is kept.",
        never="Do not confirm a code that you read here instead of where alerts arrive.",
    ),
    Kind.ALERTS_FAILING: warning_page(
        data="{name} MAY NOT ARRIVE",
        means="Something that sends alerts does not work: a program is missing, a server refuses, or what watches the arrays does not run.",
        waiting="A disk that fails is not reported.",
        first="It repairs the way that alerts take, and touches no disk.",
        never="Do not take silence for a sign that all is well.",
    ),
}
"""The page of every kind."""


_LACK: Final = frozenset({Kind.FAILED, Kind.NO_REDUNDANCY, Kind.DEGRADED})  # a member

COSTS: Final = {
    "start-degraded": "From the first write the missing member is out of date, and must be rebuilt. Until then there is less redundancy, or none. If the disk can still be connected, connect it first.",
    "start-forced": "Members that are out of date are taken as current. What was written after they left is lost, and files that were being written may be damaged. Copy the disks first (ddrescue).",
    "start-tried": "The members are written from then on. If members are left out, what only they hold is lost. All superblocks are kept first; until the first write they can be put back.",
    "restore-metadata": "Where the volumes are is taken from this version. What LVM changed after it is forgotten. The beginning of every disk is kept first and can be put back.",
    "restore-table": "Both ends of the disk are written: there the table is. They are saved first. What is in the partitions is not written, and is compared. If this disk had other partitions than the advice says, do not do it.",
    "re-add-failed": "A disk that failed may fail again, also while what was written since is copied to it. Find out first why it failed.",
    "repair": "What differs is written again. If it is the data that is wrong, and not the parity or the other copy, that makes it wrong for good.",
    "remove-missing": "What is missing is left out for good: its copy of the data is not used again, also if it is connected later. Its space is lost, and the members that are here are written.",
    "without-journal": "The last writes of the filesystem failed. Check it (fsck -n) before it is mounted.",
    "remove-spare": "No hot spare takes over then when the next disk fails.",
    "remove-vdev": "The pool has the space of that disk no longer, and a little memory is used for good to find what was moved.",
    "alerts-off": "Nobody hears of a disk that fails, unless something else on this computer reports it.",
    "remove-line": "What the line names is not expected any more: it is not started or mounted at boot, and nothing reports that it is gone.",
}
"""What is lost with each procedure that a person must choose, by its word."""


def data_of(finding: Finding) -> str:
    """Whether the data is safe, in one line."""
    return PAGES[finding.kind].data.format(name=finding.name)


def cost_of(finding: Finding, remedy: Remedy) -> tuple[str, ...]:
    """What must be read before ``remedy`` is chosen, where a person must choose it: what is lost, in paragraphs."""
    cost = COSTS.get(word_of(remedy.procedure), "") if remedy.procedure is not None else ""
    never = f"Do not {finding.never}." if finding.never else ""
    return tuple(filter(None, (cost, *remedy.warnings, never)))


def news_of(finding: Finding, unit: Unit) -> str:
    """What a finding about ``unit`` says beside its state, which is shown already; empty for nothing."""
    begin = f"{with_noun(unit)}: "
    return finding.what.removeprefix(begin).removeprefix(unit.state).removeprefix("; ")


def facts_of(finding: Finding, *, moment: Callable[[str], str] = str) -> tuple[tuple[str, str], ...]:
    """What is known, each with a label: the disks, the redundancy that is left, what not to do; ``moment`` shows one."""
    unknown = finding.kind in _LACK and finding.lacks and not finding.disks
    return (
        *((("disk", "it is not recorded which one is missing"),) if unknown else ()),
        *(("disk", _disk_words(disk, moment)) for disk in finding.disks),
        *(
            (label, text)
            for label, text in (("redundancy left", finding.left), ("do not", finding.never))
            if text
        ),
    )


def _disk_words(disk: Concerned, moment: Callable[[str], str]) -> str:
    last = "last " if disk.state == "lost" else ""  # another disk may have its path now
    where = disk.place and f"{last}at {disk.place}"
    path = disk.path and f"{last}as {disk.path}" if not where else disk.path and f"as {disk.path}"
    state = f"{disk.state.removesuffix(' now')} since {moment(disk.since)}" if disk.since else disk.state
    label = disk.label and f"on its label {disk.label}"
    return ", ".join(
        filter(None, (disk.disk, label, disk.model, " ".join(filter(None, (where, path))), state))
    )


def paragraphs(finding: Finding) -> tuple[tuple[str, str], ...]:
    """The page of ``finding``: titles and texts."""
    page = PAGES[finding.kind]
    return (
        ("What it means", page.means),
        ("If you wait", page.waiting),
        ("Why the first step", page.first),
        ("Never", page.never),
    )
