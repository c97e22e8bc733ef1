"""The words about findings that every command and screen shows, and a page for each kind of finding. Pure."""

from collections.abc import Callable
from typing import Final

from raidtui.backends.registry import backend
from raidtui.model.finding import Concerned, Finding, Kind, Remedy, Urgency
from raidtui.model.procedure import word_of
from raidtui.model.struct import Record
from raidtui.model.unit import Unit


class Page(Record, frozen=True, kw_only=True):
    """What a person may want to know about a kind of finding; every text consists of whole sentences."""

    urgency: Urgency
    data: str  # one line: whether the data is safe; {name} is that of the unit
    means: str
    waiting: str  # what happens if nothing is done
    first: str  # why the first step is the right one
    never: str


PAGES: Final = {
    Kind.FAILED: Page(
        urgency=Urgency.DANGER,
        data="{name} HAS FAILED: ITS DATA MAY STILL BE THERE",
        means="More members are missing than the level survives, so it has stopped. Often a cable, a controller or a power supply has taken several disks at once, and the data is still on them.",
        waiting="Nothing gets worse while nothing is written. A disk that is about to die does get worse while it runs: copy it first.",
        first="A trial on overlays and connecting what was disconnected change nothing on the disks. Only then is it known which members hold the newest data.",
        never="Do not create it again, and erase no superblock: both destroy what is needed to assemble it. A member re-added to a failed array becomes a spare, and its place is lost.",
    ),
    Kind.NO_REDUNDANCY: Page(
        urgency=Urgency.DANGER,
        data="ONE MORE FAILURE LOSES {name}",
        means="As many members are missing as the level survives, or some chunks of a Btrfs have no copy on another disk. All data is there and can be used, but the next failed disk loses some or all of it.",
        waiting="Each further day is a day on which one more failed disk loses everything on it. The other disks are often as old as the one that failed.",
        first="It brings redundancy back and writes least of what is possible. A member that was only disconnected needs a short copy; a new disk is filled from all the others.",
        never="Do not pull a disk before you have compared its serial number: the wrong one ends the array. Do not erase the disk that is out before redundancy is full again.",
    ),
    Kind.DEGRADED: Page(
        urgency=Urgency.WARNING,
        data="{name} IS DEGRADED; ITS DATA IS THERE",
        means="A member is missing or is being replaced. All data is there and can be used, with less redundancy than it was made with.",
        waiting="The next failure leaves it with less, or with nothing. Which failures it still survives is shown as 'redundancy left'.",
        first="It brings redundancy back and writes least of what is possible. A member that was only disconnected needs a short copy; a new disk is filled from the others.",
        never="Do not pull a disk before you have compared its serial number. Do not erase the disk that is out before redundancy is full again.",
    ),
    Kind.ERRORS: Page(
        urgency=Urgency.WARNING,
        data="{name} HAS ALL ITS DISKS, AND ERRORS WERE COUNTED",
        means="A disk returned wrong data or none, or the card reports a fault. Redundancy has covered it until now.",
        waiting="Errors that stay unread add up. If another disk then fails, a block that is wrong on two disks is lost.",
        first="Reading everything and correcting it from redundancy shows whether the errors were few and old, or whether the disk is failing.",
        never="Do not pull the disk while it still works: it is the best copy of its data while it is replaced.",
    ),
    Kind.INACTIVE: Page(
        urgency=Urgency.WARNING,
        data="{name} IS NOT STARTED; NOTHING IS LOST BY WAITING",
        means="Its disks are here, or some of them, and nothing has started it. Its data cannot be used until then.",
        waiting="Nothing changes on its disks while it is not started.",
        first="With all its members it starts as it was. Without one of them it starts degraded, and that member is out of date from the first write.",
        never="Do not create it again: that starts a new array over the old one. Do not start it without a member that could still be connected.",
    ),
    Kind.FAILED_MEMBER: Page(
        urgency=Urgency.NOTE,
        data="{name} IS REDUNDANT; A FAILED DISK IS STILL IN IT",
        means="A member that failed, or is missing, is still listed. A spare has taken its place, or it was itself a spare, or a cache.",
        waiting="The data is safe. There is a hot spare less for the next failure, or a cache less.",
        first="Removed from the array, the disk can be pulled, tested and replaced. The others are not touched.",
        never="Do not pull a disk before you have compared its serial number.",
    ),
    Kind.WAITING: Page(
        urgency=Urgency.NOTE,
        data="{name} IS THERE AND WAITS FOR YOU",
        means="No disk is at fault. It is not mounted, a sync waits for the first write, or a balance is paused.",
        waiting="Its data cannot be used while it is not mounted. A sync that waits leaves it without full redundancy.",
        first="It does what would have happened at boot, and nothing else.",
        never="Do not create or format it again because it looks empty: it is only not mounted.",
    ),
    Kind.HELD: Page(
        urgency=Urgency.WARNING,
        data="{name} IS THERE; ITS SYNCS ARE HELD UP",
        means="A resync, rebuild or check is paused, or ends before the end of the members. A program that was interrupted leaves this behind, or somebody paused it.",
        waiting="The data is there. But if a member fails, no spare takes its place, or its rebuild stops halfway.",
        first="It lets the kernel sync again, and changes no data by itself.",
        never="Do not replace a disk because a rebuild makes no progress: first see whether it is held up.",
    ),
    Kind.SLOWED: Page(
        urgency=Urgency.WARNING,
        data="{name} IS THERE; A REBUILD OF IT WOULD HARDLY MOVE",
        means="A speed limit of the array or of this computer is far below what its disks can do. Somebody set it for a while, or a program that set it was interrupted.",
        waiting="The data is there. But a rebuild takes weeks instead of hours, and until it ends the next failure may lose everything.",
        first="It takes the limit back, so that md's usual one applies. No data is changed.",
        never="Do not replace a disk because a rebuild makes no progress: first see whether a limit holds it up.",
    ),
    Kind.READ_ONLY: Page(
        urgency=Urgency.WARNING,
        data="{name} IS THERE AND CAN ONLY BE READ",
        means="The array, or a disk of it, was set read-only, by a person or by a program that was interrupted (blockdev --setro, mdadm --readonly). An array with a read-only disk starts read-only. Some disks also have a switch for it, or become so when their flash is worn out.",
        waiting="Files can be read. Nothing can be written, no rebuild or check starts, and no spare takes over.",
        first="It takes back what was set, and changes no data. If the disk refuses writes by itself, the step fails and says so.",
        never="Do not make it writable if somebody set it read-only to save what is on it, such as before a recovery.",
    ),
    Kind.TRIAL_LEFT: Page(
        urgency=Urgency.WARNING,
        data="A {name} TRIAL HAS NOT ENDED: ITS MEMBERS ARE READ-ONLY",
        means="A recovery trial sets the members read-only and takes every write on overlays. It removes both when it ends. If it was killed they stay until it is ended, or until the next boot.",
        waiting="Nothing changes on the members. They cannot be used for anything else until then.",
        first="It unmounts what the trial mounted, removes its overlays, and makes the members writable again.",
        never="Do not make the members writable by hand, and start nothing on them, while a trial runs.",
    ),
    Kind.CHECK_STOPPED: Page(
        urgency=Urgency.NOTE,
        data="{name} IS WELL; ITS LAST CHECK WAS STOPPED",
        means="A check that is stopped leaves its place behind. md begins the next one there, also one of a timer, and what lies before it is not read.",
        waiting="A sector that became unreadable there stays unnoticed until another disk fails.",
        first="It reads every member from the start to the end, and the array can be used meanwhile.",
        never="Do not take the result of a check that began in the middle for one of the whole array.",
    ),
    Kind.MISMATCHES: Page(
        urgency=Urgency.NOTE,
        data="{name} HAS ALL ITS DISKS; SOME COPIES DIFFER",
        means="A check read all copies and some did not agree. Swap and files that programs map into memory cause this without harm: they change while they are written. Else one copy is wrong.",
        waiting="A read may return either copy. Nothing gets worse by itself.",
        first="A second check shows whether the same places still differ; places that were only being written agree by then.",
        never="Compare important files with a backup before you repair. A repair writes one copy over the others, also if it is the wrong one.",
    ),
    Kind.NOT_CONFIGURED: Page(
        urgency=Urgency.NOTE,
        data="{name} IS WELL; NOTHING IN /etc NAMES IT",
        means="No line of mdadm.conf names the array. It may get another name at the next boot, and nobody learns what should be here if it is not.",
        waiting="Nothing happens until the next boot. If a disk fails then, nobody may get mail.",
        first="It adds lines to files in /etc and touches no disk.",
        never="Do not mount it by its number, such as /dev/md127: that changes.",
    ),
    Kind.KEPT_DOWN: Page(
        urgency=Urgency.WARNING,
        data="{name} RUNS; mdadm.conf KEEPS IT FROM STARTING",
        means="mdadm finds the lines of mdadm.conf contradictory, or they exclude the array or its disks. It refuses to start the array then, though all of its members are here.",
        waiting="It runs until the next boot. Then it may not start, and what is mounted from it is missing.",
        first="It writes lines of files in /etc, and the copy that boots the computer. No disk is touched.",
        never="Do not create it again when it does not start after a boot: its data is there.",
    ),
    Kind.ARRAY_EXPECTED: Page(
        urgency=Urgency.WARNING,
        data="{name} IS NOT HERE",
        means="The configuration of this computer names an array, and no disk here has a member of it. Its disks may be disconnected, or their controller is not found.",
        waiting="Nothing changes on disks that are not connected. What should be on the array is written elsewhere until then, or not at all.",
        first="Connecting its disks changes nothing on them, and shows whether it is complete.",
        never="Do not make a new array in its place before its disks are found. Do not remove the line if you do not know why it is there.",
    ),
    Kind.MOUNT_EXPECTED: Page(
        urgency=Urgency.WARNING,
        data="WHAT BELONGS AT {name} IS NOT HERE",
        means="A filesystem is to be mounted at boot, and no device here has its name. Its disks may be disconnected, or what it is on is not started.",
        waiting="Programs write into the empty folder below the mount point. A boot may stop there until somebody answers.",
        first="The device shows itself when its disks are connected or its array is started; then it can be mounted.",
        never="Do not make a new filesystem in its place before its disks are found.",
    ),
    Kind.FILESYSTEM_ERRORS: Page(
        urgency=Urgency.WARNING,
        data="THE FILESYSTEM AT {name} HAS ERRORS",
        means="The kernel found something in the filesystem that cannot be right, or could not read or write it. By its options, it then stopped writing, or counted the error and continued. Redundancy does not help here: every copy has the same error.",
        waiting="One that is read-only stays as it is. One that continues after an error can damage more files.",
        first="A backup keeps what can be read now. The kernel log says whether a disk or a cable failed first. A check that only reads shows what a repair would change; e2fsck sets the count of ext4 back.",
        never="Do not repair it before the backup, and not while its array is degraded or a disk reports errors: a repair may delete files.",
    ),
    Kind.CLONE: Page(
        urgency=Urgency.DANGER,
        data="{name} IS HERE TWICE: NOBODY KNOWS WHICH DISK IS MEANT",
        means="Two devices have the same superblock. One is a copy of the other, made by dd or a docking station, or both are paths to one disk. Tools know a member by its superblock alone.",
        waiting="What runs keeps running. At the next boot the copy may be taken for the member, with old data.",
        first="With one of the two disconnected it is clear again which disk is meant. Nothing is written for that.",
        never="Do not start, mount or repair anything until one is disconnected. Do not erase one of them before you have compared the serial numbers.",
    ),
    Kind.OVERWRITTEN: Page(
        urgency=Urgency.WARNING,
        data="{name} LOOKS EMPTY AND MAY HOLD DATA",
        means="The beginning of this disk was overwritten, by a mainboard or an enclosure, or by a new partition table. What lies behind it begins as the data of an array's member or of a partition does. Of a Btrfs, it has a copy of the superblock.",
        waiting="Nothing changes on it while nobody writes to it.",
        first="A trial on overlays writes to no disk, and a copy of the disk can be tried on without risk. The report says what is known of the array; people who help need it.",
        never="Do not use it in an array, partition it or make a filesystem on it. Do not create the array again without help: one wrong value destroys the data.",
    ),
    Kind.TABLE_MISFIT: Page(
        urgency=Urgency.WARNING,
        data="{name} LOOKS EMPTY AND HOLDS PARTITIONS",
        means="Its partition table was written when the disk looked different: with sectors of another size, or with more of them. Many USB enclosures show sectors of 4096 bytes for a disk of 512, or the other way round. A mainboard can hide the end of a disk in a host protected area.",
        waiting="Nothing changes on it while nobody writes to it.",
        first="Connected as it was when it was partitioned, the disk shows its partitions again, and an array on them starts.",
        never="Do not partition it and do not let a program repair its partition table: the repair is for the disk as it looks now.",
    ),
    Kind.SUPERBLOCK_GONE: Page(
        urgency=Urgency.WARNING,
        data="{name} RUNS, AND STARTS WITHOUT A MEMBER NEXT TIME",
        means="The superblock of a member is not on its disk, as after a new partition table or a wipe. The kernel still knows the member, so the array runs as if nothing had happened.",
        waiting="After a reboot, or if the array is stopped, it lacks this member. What else was overwritten comes back as wrong data.",
        first="md writes the superblocks again at the end of a check. The check also finds data that was overwritten: a partition table has a copy at the end of the disk.",
        never="Do not stop the array and do not reboot before. Do not repair mismatches: md may copy what is wrong over what is right.",
    ),
    Kind.FAILING_DISK: Page(
        urgency=Urgency.WARNING,
        data="{name} IS WHOLE, AND A DISK OF IT IS FAILING",
        means="The disk reports that it is failing, or has sectors that it cannot read. Disks that do so fail far more often in the following months.",
        waiting="Redundancy is full until it fails. Then a rebuild must read all the other disks without an error.",
        first="Its data is copied to the new disk while it stays in place, so redundancy never drops.",
        never="Do not pull it or mark it failed first: until the copy is done it is the best source of its data.",
    ),
    Kind.WORSENING_DISK: Page(
        urgency=Urgency.WARNING,
        data="DISK {name} STILL WORKS, AND ITS ERRORS GROW",
        means="Counts of bad sectors or failed reads have grown on several days of the last month, or by many on one. Disks on which they grow fail far more often in the following months than those on which they stand still.",
        waiting="It may work for months or fail tonight. While it works, replacing it costs no redundancy.",
        first="Its data is copied to the new disk while it stays in place.",
        never="Do not build an array on it. Do not pull it or mark it failed before its data is elsewhere.",
    ),
    Kind.WORN_DISK: Page(
        urgency=Urgency.NOTE,
        data="DISK {name} WORKS",
        means="Transfers arrive damaged and are repeated, which is mostly the cable or its connector. Or the flash will have reached its rated life within half a year.",
        waiting="Damaged transfers make it slow, and a controller may drop it from its array. Flash past its rated life may become read-only.",
        first="A cable is checked with the computer switched off. Nothing is written.",
        never="Do not replace the disk for damaged transfers before the cable was replaced: the new disk would have them too.",
    ),
    Kind.NEVER_SCRUBBED: Page(
        urgency=Urgency.NOTE,
        data="{name} IS WELL; NOTHING SCRUBS IT REGULARLY",
        means="A scrub reads every member whole and compares. No timer and no line of cron on this computer starts one.",
        waiting="A sector that became unreadable stays unnoticed until another disk fails. Then it is needed and is lost.",
        first="It enables the timer that comes with the distribution, or one of raidtui's own, and touches no disk.",
        never="Do not schedule a repair in place of a check: a repair also writes what is wrong.",
    ),
    Kind.ERROR_RECOVERY: Page(
        urgency=Urgency.NOTE,
        data="{name} IS WELL; ONE BAD SECTOR CAN COST IT A DISK",
        means="These drives retry a bad sector for minutes. The kernel waits for less, then resets the drive, and the array drops it. Drives made for arrays give up after seven seconds, and the sector is read from another member.",
        waiting="Nothing happens until a sector cannot be read. During a rebuild that may be the second failure.",
        first="It sets a limit of seven seconds where the drive has one, and else the timeout of the kernel. A udev rule does so at every boot. No data is touched.",
        never="Do not rebuild onto or from such disks before: a rebuild reads every sector.",
    ),
    Kind.SLOW_MEMBER: Page(
        urgency=Urgency.WARNING,
        data="{name} IS WELL; ONE DISK HAS BECOME SLOWER",
        means="During the last sync or scrub one disk took longer than the others to read the same amount. That is new, or the others are of its model. Retried reads cause it, and so does a link with errors.",
        waiting="The whole array is as slow as this disk. A disk that retries more and more often fails soon.",
        first="Look at its health (raidtui health), its cable and its port. If another slot does not help, replace it while it still works.",
        never="Do not pull a disk before you have compared its serial number.",
    ),
    Kind.MORE_MISMATCHES: Page(
        urgency=Urgency.WARNING,
        data="{name} HAS ALL ITS DISKS; EACH SCRUB FINDS MORE",
        means="Two scrubs in a row found something, and the last one found more. A disk, a cable or the memory may change data without an error.",
        waiting="What is wrong on one disk is not seen until it is read. More of it may be wrong at the next scrub.",
        first="A further scrub shows whether it still grows. Test the memory, and look at the counts of each disk (smartctl -x) meanwhile.",
        never="Do not repair while it grows: a repair writes one copy over the others, also if it is the wrong one.",
    ),
    Kind.SCRUBBED_TWICE: Page(
        urgency=Urgency.NOTE,
        data="{name} IS WELL; TWO SCHEDULES SCRUB IT",
        means="More than one timer or line of cron starts a scrub of it. Each reads all of its disks.",
        waiting="Its disks are read twice as often as intended, and one scrub may stop the other.",
        first="It keeps one schedule and disables the other timers. No disk is touched.",
        never="Do not remove both: then nobody learns of a sector that became unreadable.",
    ),
    Kind.BOOT_DISK: Page(
        urgency=Urgency.NOTE,
        data="{name} IS WELL; THE COMPUTER BOOTS FROM ONE DISK ONLY",
        means="The system is on several disks and survives the loss of one. The partition that the computer starts from is on one of them alone, as installers make it.",
        waiting="When that disk fails, everything runs until the next reboot. Then the computer does not start, though all data is there.",
        first="With a boot partition on each disk, the computer starts whichever disk is missing. Copy it again after each update of the boot loader.",
        never="Do not format or move the partition that is there: the computer starts from it now.",
    ),
    Kind.DEGRADED_BOOT: Page(
        urgency=Urgency.NOTE,
        data="{name} DOES NOT START AT BOOT IF A DISK IS MISSING",
        means="mdadm starts an array at boot when all its members are there. If one is missing, something else must start it after a while, and nothing on this computer does.",
        waiting="Nothing happens until a disk fails and the computer is booted again. Then the array stays stopped until somebody starts it.",
        first="The timer that comes with mdadm starts such an array after 30 seconds.",
        never="Do not reboot to see whether a failed disk comes back, as long as nothing starts the array without it.",
    ),
    Kind.CARD_FOREIGN: Page(
        urgency=Urgency.WARNING,
        data="{name}: AN ARRAY THAT IS NOT THIS CARD'S OWN; IT IS STILL ON ITS DRIVES",
        means="Drives behind the card hold a configuration that the card does not use. Another card made it, or this one before it lost the drives. While it is there, the card takes these drives for nothing else.",
        waiting="Nothing changes on these drives. If they belong to a virtual drive that is missing or degraded, its data cannot be used, or is less redundant, until then.",
        first="To look changes nothing, and shows whether it is an array that you need, and whether it is complete. Imported without some of its drives, it comes up degraded or offline.",
        never="Do not clear it to get rid of the message: that loses the array. Do not import it over one that is in use: members that are out of date would come back.",
    ),
    Kind.CARD_DRIVES: Page(
        urgency=Urgency.NOTE,
        data="{name}: A DRIVE HAS FAILED THAT IS IN NO VIRTUAL DRIVE",
        means="The card calls these drives bad or offline, and no virtual drive that it describes has them. A hot spare has taken their place, or they were in none, or their virtual drive is gone.",
        waiting="The virtual drives that are listed do not get worse. There is a drive less for the next failure.",
        first="Only you know which virtual drives should be here. If all are, the drive can go; if one is not, what is on these drives may be all that is left of it.",
        never="Do not set a drive good or online to see whether it works again. Its data is out of date, and the card would use it.",
    ),
    Kind.FOREIGN: Page(
        urgency=Urgency.NOTE,
        data="{name} WAS MADE BY ANOTHER SYSTEM; LOOKING WRITES NOTHING",
        means="These disks come from a NAS or another computer. Their partitions, or the host in the name of an array, say so. All arrays that belong together are shown as one.",
        waiting="Nothing changes on the disks while nothing here starts the arrays for writing.",
        first="Read-only is enough to look and to copy. The disks stay as they are, so their own system still accepts them.",
        never="Do not start a resync, a rebuild or a check of the filesystem here: each writes. The system that the disks come from may not accept the result.",
    ),
    Kind.ALERTS_OFF: Page(
        urgency=Urgency.NOTE,
        data="{name} ARE NOT SET: NOBODY HEARS OF A DISK THAT FAILS",
        means="An array with a failed disk works as before. Without an alert people notice the first failure when the second one takes the data.",
        waiting="Nothing happens until a disk fails.",
        first="A mail address or a URL is enough. A test shows that it arrives.",
        never="Do not rely on a mail address in mdadm.conf that has never received a test.",
    ),
    Kind.ALERTS_UNPROVEN: Page(
        urgency=Urgency.NOTE,
        data="{name} ARE SET; NOBODY HAS SEEN ONE ARRIVE",
        means="Passwords expire, mail is taken for spam, and people change their address. Only a test that arrived proves that an alert will.",
        waiting="The first alert that does not arrive may be the one about a failed disk.",
        first="A test is sent with a code on each way. The code that arrives is the proof, and its date is kept.",
        never="Do not confirm a code that you read here instead of where alerts arrive.",
    ),
    Kind.ALERTS_FAILING: Page(
        urgency=Urgency.WARNING,
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
    "start-tried": "The members are written from then on. What only the members that are left out hold is lost. All superblocks are kept first; until the first write they can be put back.",
    "repair": "What differs is written again. If it is the data that is wrong, and not the parity or the other copy, that makes it wrong for good.",
    "remove-missing": "What is missing is left out for good: its copy of the data is not used again, also if it is connected later. Its space is lost, and the members that are here are written.",
    "without-journal": "The last writes of the filesystem failed. Check it (fsck -n) before it is mounted.",
    "remove-spare": "No hot spare takes over then when the next disk fails.",
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
    begin = f"{backend(unit.backend).noun} {unit.shown}: "
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
    state = " ".join(filter(None, (disk.state, disk.since and f"since {moment(disk.since)}")))
    return ", ".join(filter(None, (disk.disk, disk.model, " ".join(filter(None, (where, path))), state)))


def paragraphs(finding: Finding) -> tuple[tuple[str, str], ...]:
    """The page of ``finding``: titles and texts."""
    page = PAGES[finding.kind]
    return (
        ("What it means", page.means),
        ("If you wait", page.waiting),
        ("Why the first step", page.first),
        ("Never", page.never),
    )
