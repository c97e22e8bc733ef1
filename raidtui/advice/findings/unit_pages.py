"""A page for each kind of finding about a unit as a whole, its data, or what is on the disks; see `raidtui.advice.findings.pages`."""

from functools import partial
from typing import Final

from raidtui.model.finding import Kind, Urgency
from raidtui.model.struct import Record


class Page(Record, frozen=True, kw_only=True):
    """What a person may want to know about a kind of finding; every text consists of whole sentences."""

    urgency: Urgency
    data: str  # one line: whether the data is safe; {name} is that of the unit
    means: str
    waiting: str  # what happens if nothing is done
    first: str  # why the first step is the right one
    never: str


danger_page: Final = partial(Page, urgency=Urgency.DANGER)
warning_page: Final = partial(Page, urgency=Urgency.WARNING)
note_page: Final = partial(Page, urgency=Urgency.NOTE)


UNIT_PAGES: Final = {
    Kind.FAILED: danger_page(
        data="{name} HAS FAILED: ITS DATA MAY STILL BE THERE",
        means="More members are missing than the level survives, so it has stopped. Often a cable, a controller or a power supply has taken several disks at once, and the data is still on them.",
        waiting="Nothing gets worse while nothing is written. A disk that is about to die does get worse while it runs: copy it first.",
        first="A trial on overlays and connecting what was disconnected change nothing on the disks. Only then is it known which members hold the newest data.",
        never="Do not create it again, and erase no superblock: both destroy what is needed to assemble it. A member re-added to a failed array becomes a spare, and its place is lost.",
    ),
    Kind.NO_REDUNDANCY: danger_page(
        data="ONE MORE FAILURE LOSES {name}",
        means="As many members are missing as the level survives, in it or in a unit under it. Or some chunks of a Btrfs have no copy on another disk. All data is there and can be used, but the next failed disk loses some or all of it.",
        waiting="Each further day is a day on which one more failed disk loses everything on it. The other disks are often as old as the one that failed.",
        first="It brings redundancy back and writes least of what is possible. A member that was only disconnected needs a short copy; a new disk is filled from all the others.",
        never="Do not pull a disk before you have compared its serial number, or seen its light blink: the wrong one ends the array. Do not erase the disk that is out before redundancy is full again.",
    ),
    Kind.DEGRADED: warning_page(
        data="{name} IS DEGRADED; ITS DATA IS THERE",
        means="A member is missing or is being replaced, in it or in a unit under it. Or a disk without a copy is part of the pool. All data is there and can be used, with less redundancy than it was made with.",
        waiting="The next failure leaves it with less, or with nothing. Which failures it still survives is shown as 'redundancy left'.",
        first="It brings redundancy back and writes least of what is possible. A member that was only disconnected needs a short copy; a new disk is filled from the others.",
        never="Do not pull a disk before you have compared its serial number, or seen its light blink. Do not erase the disk that is out before redundancy is full again.",
    ),
    Kind.ERRORS: warning_page(
        data="{name} HAS ALL ITS DISKS, AND ERRORS WERE COUNTED",
        means="A disk returned wrong data or none, or the card reports a fault. Redundancy has covered it until now.",
        waiting="Errors that stay unread add up. If another disk then fails, a block that is wrong on two disks is lost.",
        first="Reading everything and correcting it from redundancy shows whether the errors were few and old, or whether the disk is failing.",
        never="Do not pull the disk while it still works: it is the best copy of its data while it is replaced.",
    ),
    Kind.INACTIVE: warning_page(
        data="{name} IS NOT STARTED; NOTHING IS LOST BY WAITING",
        means="Its disks are here, or some of them, and nothing has started it. Its data cannot be used until then.",
        waiting="Nothing changes on its disks while it is not started.",
        first="With all its members it starts as it was. Without one of them it starts degraded, and that member is out of date from the first write.",
        never="Do not create it again: that starts a new array over the old one. Do not start it without a member that could still be connected.",
    ),
    Kind.FILLING: warning_page(
        data="{name} FILLS UP; ITS DATA IS THERE",
        means="A pool, a snapshot of LVM or the metadata of a Btrfs has little room left. A thin pool promises more room than it has, and the filesystems on it do not show that.",
        waiting="When a pool is full, writes fail, and the filesystems on a thin pool may be damaged. A pool of ZFS becomes slower before that. A Btrfs may become read-only. A snapshot that is full is lost, and nothing else.",
        first="Room that is added in time costs nothing. Files that are deleted on a thin pool give room back only after a trim.",
        never="Do not rely on df: it shows neither the room of the pool below the filesystem, nor that of the metadata of a Btrfs.",
    ),
    Kind.FULL: danger_page(
        data="{name} IS ALMOST FULL: WRITES TO IT ARE ABOUT TO FAIL",
        means="A pool, or the metadata of a Btrfs, has next to no room left. Their filesystems may still show free space.",
        waiting="Writes wait for a while and then fail. A Btrfs may become read-only. On a thin pool files are lost then, and a filesystem may have to be repaired. One whose metadata is full can only be read.",
        first="Stop what writes much, then add room. Files that are deleted on a thin pool give room back only after a trim.",
        never="Do not repair a filesystem on a thin pool before that has room again: the repair writes too.",
    ),
    Kind.FAILED_MEMBER: note_page(
        data="{name} IS REDUNDANT; A FAILED DISK IS STILL IN IT",
        means="A member that failed, or is missing, is still listed. A spare has taken its place, or it was itself a spare, or a cache.",
        waiting="The data is safe. There is a hot spare less for the next failure, or a cache less.",
        first="Removed from the array, the disk can be pulled, tested and replaced. The others are not touched.",
        never="Do not pull a disk before you have compared its serial number, or seen its light blink.",
    ),
    Kind.WAITING: note_page(
        data="{name} IS THERE AND WAITS FOR YOU",
        means="No disk is at fault. It is not mounted, a sync waits for the first write, or a balance is paused.",
        waiting="Its data cannot be used while it is not mounted. A sync that waits leaves it without full redundancy.",
        first="It does what would have happened at boot, and nothing else.",
        never="Do not create or format it again because it looks empty: it is only not mounted.",
    ),
    Kind.HELD: warning_page(
        data="{name} IS THERE; ITS SYNCS ARE HELD UP",
        means="A resync, rebuild or check is paused, or ends before the end of the members. A program that was interrupted leaves this behind, or somebody paused it.",
        waiting="The data is there. But if a member fails, no spare takes its place, or its rebuild stops halfway.",
        first="It lets the kernel sync again, and changes no data by itself.",
        never="Do not replace a disk because a rebuild makes no progress: first see whether it is held up.",
    ),
    Kind.SLOWED: warning_page(
        data="{name} IS THERE; A REBUILD OF IT WOULD HARDLY MOVE",
        means="A speed limit of the array or of this computer is far below what its disks can do. Somebody set it for a while, or a program that set it was interrupted.",
        waiting="The data is there. But a rebuild takes weeks instead of hours, and until it ends the next failure may lose everything.",
        first="It takes the limit back, so that md's usual one applies. No data is changed.",
        never="Do not replace a disk because a rebuild makes no progress: first see whether a limit holds it up.",
    ),
    Kind.READ_ONLY: warning_page(
        data="{name} IS THERE AND CAN ONLY BE READ",
        means="The array, or a disk of it, was set read-only, by a person or by a program that was interrupted (blockdev --setro, mdadm --readonly). An array with a read-only disk starts read-only. Some disks also have a switch for it, or become so when their flash is worn out.",
        waiting="Files can be read. Nothing can be written, no rebuild or check starts, and no spare takes over.",
        first="It takes back what was set, and changes no data. If the disk refuses writes by itself, the step fails and says so.",
        never="Do not make it writable if somebody set it read-only to save what is on it, such as before a recovery.",
    ),
    Kind.TRIAL_LEFT: warning_page(
        data="A {name} TRIAL HAS NOT ENDED: ITS MEMBERS ARE READ-ONLY",
        means="A recovery trial sets the members read-only and takes every write on overlays. It removes both when it ends. If it was killed they stay until it is ended, or until the next boot.",
        waiting="Nothing changes on the members. They cannot be used for anything else until then.",
        first="It unmounts what the trial mounted, removes its overlays, and makes the members writable again.",
        never="Do not make the members writable by hand, and start nothing on them, while a trial runs.",
    ),
    Kind.CHECK_STOPPED: note_page(
        data="{name} IS WELL; ITS LAST CHECK WAS STOPPED",
        means="A check that is stopped leaves its place behind. md begins the next one there, also one of a timer, and what lies before it is not read.",
        waiting="A sector that became unreadable there stays unnoticed until another disk fails.",
        first="It reads every member from the start to the end, and the array can be used meanwhile.",
        never="Do not take the result of a check that began in the middle for one of the whole array.",
    ),
    Kind.MISMATCHES: note_page(
        data="{name} HAS ALL ITS DISKS; SOME COPIES DIFFER",
        means="A check read all copies and some did not agree. Swap and files that programs map into memory cause this without harm: they change while they are written. Else one copy is wrong.",
        waiting="A read may return either copy. Nothing gets worse by itself.",
        first="A second check shows whether the same places still differ; places that were only being written agree by then.",
        never="Compare important files with a backup before you repair. A repair writes one copy over the others, also if it is the wrong one.",
    ),
    Kind.OUT_OF_DATE: warning_page(
        data="{name} IS IN USE; A DISK OF IT MAY HAVE OLD BLOCKS",
        means="A disk was away while the filesystem was used, and has been mounted with the others since. Btrfs does not copy to it what it missed. It notices an old block only when it reads it, and takes another copy then.",
        waiting="What was written meanwhile has one copy less. If another disk fails, that is lost.",
        first="A scrub reads every block of every disk, and corrects the old ones from the other copies.",
        never="Do not replace or remove another disk of it before the scrub has ended.",
    ),
    Kind.NOT_CONFIGURED: note_page(
        data="{name} IS WELL; NOTHING IN /etc NAMES IT",
        means="No line of mdadm.conf names the array. It may get another name at the next boot, and nobody learns what should be here if it is not.",
        waiting="Nothing happens until the next boot. If a disk fails then, nobody may get mail.",
        first="It adds lines to files in /etc and touches no disk.",
        never="Do not mount it by its number, such as /dev/md127: that changes.",
    ),
    Kind.KEPT_DOWN: warning_page(
        data="{name} RUNS; mdadm.conf KEEPS IT FROM STARTING",
        means="mdadm finds the lines of mdadm.conf contradictory, or they exclude the array or its disks. It refuses to start the array then, though all of its members are here.",
        waiting="It runs until the next boot. Then it may not start, and what is mounted from it is missing.",
        first="It writes lines of files in /etc, and the copy that boots the computer. No disk is touched.",
        never="Do not create it again when it does not start after a boot: its data is there.",
    ),
    Kind.ARRAY_EXPECTED: warning_page(
        data="{name} IS NOT HERE",
        means="The configuration of this computer names an array, and no disk here has a member of it. Its disks may be disconnected, or their controller is not found.",
        waiting="Nothing changes on disks that are not connected. What should be on the array is written elsewhere until then, or not at all.",
        first="Connecting its disks changes nothing on them, and shows whether it is complete.",
        never="Do not make a new array in its place before its disks are found. Do not remove the line if you do not know why it is there.",
    ),
    Kind.NOT_SHOWN: warning_page(
        data="DISKS OF {name} ARE HERE; WHAT IS ON THEM IS UNKNOWN",
        means="Disks here are members of a volume group or pool, and the tools of this computer do not show it. They are not installed, or their configuration leaves the disks out, or the metadata on them is damaged.",
        waiting="Nothing changes on the disks while nobody writes to them. Their data cannot be used until then.",
        first="When the tools see all its disks, it is shown as what it is, with what it needs.",
        never="Do not take the disks for free. Do not make anything new on them, and do not remove what seems to be missing: it is only hidden.",
    ),
    Kind.MOUNT_EXPECTED: warning_page(
        data="WHAT BELONGS AT {name} IS NOT HERE",
        means="A filesystem is to be mounted at boot, and no device here has its name. Its disks may be disconnected, or what it is on is not started.",
        waiting="Programs write into the empty folder below the mount point. A boot may stop there until somebody answers.",
        first="The device shows itself when its disks are connected or its array is started; then it can be mounted.",
        never="Do not make a new filesystem in its place before its disks are found.",
    ),
    Kind.CONTAINER_EXPECTED: warning_page(
        data="THE ENCRYPTED CONTAINER {name} IS NOT HERE",
        means="crypttab opens an encrypted container at boot, and no device here has its name. Its disks may be disconnected, or its array is not started. If they are here and started, its header was overwritten: only a copy of that opens it.",
        waiting="Nothing changes on disks that are not connected. What is in the container cannot be used until then.",
        first="The device shows itself when its disks are connected or its array is started; then it can be opened.",
        never="Do not make a new container or filesystem in its place: the header that opens it, or what is left of it, would be lost.",
    ),
    Kind.HEADER_DAMAGED: danger_page(
        data="THE HEADER OF {name} IS DAMAGED: ITS KEYS MAY BE LOST",
        means="The header of this encrypted container holds its keys, and something wrote over it: a partition table, wipefs, mkfs or dd on the wrong device. Every member of an array has what was written, so redundancy does not help.",
        waiting="Nothing changes while nobody writes to it. What is in the container cannot be used until then.",
        first="The encrypted data begins behind the header and is still there. With what is left of the header, or with a copy of it, the passphrase opens it again. Keep a copy of every header elsewhere (cryptsetup luksHeaderBackup).",
        never="Do not make a new container, filesystem or partition table on it. A new header has another key: it opens nothing of the old data, and overwrites what is left of the keys.",
    ),
    Kind.HEADER_GONE: danger_page(
        data="{name} IS OPEN WITHOUT ITS HEADER: DO NOT CLOSE IT",
        means="The header of this encrypted container holds its keys, and something wrote over it. The kernel still has the key in memory, so its data can be read and written for now.",
        waiting="Nothing changes while it is open. When it is closed, or the computer restarts, all its data is lost.",
        first="A backup copies the data while it can be read. A copy of the header, if there is one, opens the container again.",
        never="Do not close it, do not stop what it is on, and do not restart the computer. Do not make a new header: its key would be another one.",
    ),
    Kind.FILESYSTEM_ERRORS: warning_page(
        data="THE FILESYSTEM AT {name} HAS ERRORS",
        means="The kernel found something in the filesystem that cannot be right, or could not read or write it. By its options, it then stopped writing, or counted the error and continued. Redundancy does not help here: every copy has the same error.",
        waiting="One that is read-only stays as it is. One that continues after an error can damage more files.",
        first="A backup keeps what can be read now. The kernel log says whether a disk or a cable failed first. A check that only reads shows what a repair would change; e2fsck sets the count of ext4 back.",
        never="Do not repair it before the backup, and not while its array is degraded or a disk reports errors: a repair may delete files.",
    ),
    Kind.FILESYSTEM_CUT: danger_page(
        data="THE FILESYSTEM ON {name} IS LARGER THAN ITS DEVICE",
        means="By its superblock, the filesystem has more blocks than the device that it is on. The device was made smaller, or was made again in another way.",
        waiting="Nothing changes while it is not mounted. What lies beyond the end of the device cannot be read.",
        first="With the former size and layout of the device the filesystem is whole again, and needs no repair.",
        never="Do not let a check repair it, and do not resize it: both give up what lies beyond the end.",
    ),
    Kind.SPACE_UNUSED: note_page(
        data="{name} IS SAFE; PART OF ITS SPACE IS NOT USED",
        means="The array or volume is larger than the filesystem on it. It has grown, and the filesystem was not enlarged after it. Someone may also have made the filesystem smaller on purpose.",
        waiting="Nothing is in danger. The space stays unused.",
        first="The filesystem is enlarged while it is mounted and in use. No disk is erased.",
        never="Do not make a new filesystem to get the space: that erases what is there.",
    ),
    Kind.CLONE: danger_page(
        data="{name} IS HERE TWICE: NOBODY KNOWS WHICH DISK IS MEANT",
        means="Two devices have the same superblock. One is a copy of the other, made by dd or a docking station, or both are paths to one disk. Tools know a member by its superblock alone.",
        waiting="What runs keeps running. At the next boot the copy may be taken for the member, with old data.",
        first="With one of the two disconnected it is clear again which disk is meant. Nothing is written for that.",
        never="Do not start, mount or repair anything until one is disconnected. Do not erase one of them before you know for certain which is which.",
    ),
    Kind.MEMBERS_DIFFER: danger_page(
        data="{name} RETURNS OLD OR NEW DATA, DEPENDING ON THE MEMBER",
        means="Two members of a mirror begin with different data, and md takes both for up to date. One was written without the array, such as in a rescue system or on another computer.",
        waiting="Each read returns the data of one member or of the other. A write makes both equal there, and the rest stays different: the filesystem is damaged more with each one.",
        first="Stopped, nothing changes on the members. Each can then be mounted read-only by itself, to see which one has the files that count.",
        never="Do not mount it and do not repair mismatches: md copies one member over the other, also if it is the wrong one.",
    ),
    Kind.MISPLACED: danger_page(
        data="{name} RETURNS WRONG DATA; WHAT IS ON ITS DISKS IS WHOLE",
        means="The power failed as a reshape ended. Some members have the superblock of before, and md reads these where their data began then. The kernel takes them as up to date.",
        waiting="Nothing changes while nobody writes to it. Each write goes to wrong places, and overwrites data that is right.",
        first="The trial reads each member where the reshape has put its data, on overlays, and counts the files. Then the place is written into the superblocks, and the array starts as it should.",
        never="Do not mount it, repair mismatches or replace a member: each writes what was read at the wrong place.",
    ),
    Kind.CREATED_OVER: danger_page(
        data="{name} MAY HIDE AN OLDER ARRAY",
        means="The array runs, and nothing known is on it, or a filesystem begins on it and does not continue. Who creates an array over an older one keeps its data and loses the order and the place of it.",
        waiting="Nothing is lost while nobody writes to it. A resync of a RAID5 or RAID6 that runs now may rewrite one member.",
        first="The trial puts the members together in other orders on overlays and looks for files. It writes to no disk.",
        never="Do not make a filesystem on it, let fsck repair it, or create it once more: each writes over what is still there.",
    ),
    Kind.BEGINNING_GONE: warning_page(
        data="{name} LOOKS EMPTY; ITS FILES MAY STILL BE THERE",
        means="The beginning of what is on it was overwritten: by a partition table, wipefs or dd on the wrong device. A copy of the superblock or of the table is still there, or the filesystem behind the table.",
        waiting="Nothing changes while nobody writes to it. It is not mounted at boot.",
        first="The trial writes the superblock anew on overlays only, mounts what is there read-only, and counts its files. It writes to no disk.",
        never="Do not make a filesystem or a partition table on it. Do not let fsck or xfs_repair write to it before the files are copied away.",
    ),
    Kind.SAME_NAME: warning_page(
        data="TWO FILESYSTEMS HAVE THE NAME OF WHAT IS MOUNTED AT {name}",
        means="fstab names a filesystem by its label, and two filesystems here have that label. Which one is mounted depends on which is found last.",
        waiting="What is mounted stays mounted. After the next boot the other one may be there, and programs write to it.",
        first="A UUID means one filesystem alone.",
        never="Do not take files for lost before you have looked at both filesystems.",
    ),
    Kind.OVERWRITTEN: warning_page(
        data="{name} LOOKS EMPTY AND MAY HOLD DATA",
        means="The beginning of this disk was overwritten, by a mainboard or an enclosure, or by a new partition table. What lies behind it begins as the data of an array's member or of a partition does. Of a Btrfs, it has a copy of the superblock. Or a whole member begins there, and only the table is lost.",
        waiting="Nothing changes on it while nobody writes to it.",
        first="A trial on overlays writes to no disk, and a copy of the disk can be tried on without risk. The report says what is known of the array; people who help need it. A table that is written as it was brings a whole member back. raidtui writes it where its copy or the member says how it was.",
        never="Do not use it in an array, partition it or make a filesystem on it. Do not create the array again without help: one wrong value destroys the data.",
    ),
    Kind.TABLE_MISFIT: warning_page(
        data="{name} LOOKS EMPTY AND HOLDS PARTITIONS",
        means="Its partition table was written when the disk looked different: with sectors of another size, or with more of them. Many USB enclosures show sectors of 4096 bytes for a disk of 512, or the other way round. A mainboard can hide the end of a disk in a host protected area.",
        waiting="Nothing changes on it while nobody writes to it.",
        first="Connected as it was when it was partitioned, the disk shows its partitions again, and an array on them starts.",
        never="Do not partition it and do not let a program repair its partition table: the repair is for the disk as it looks now.",
    ),
}
