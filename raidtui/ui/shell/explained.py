"""What F1 explains on a screen, and ? in the wizard in plain lines. Does not load Textual.

A sentence in braces and a phrase in brackets are about the picture or its keys: only the screen shows them.
"""

import re
from typing import Final

OVERVIEW: Final = """
Arrays and volume groups come first, with their health and how full they are[; those that need attention are on
top]. What to do follows, most urgent first, as 'raidtui status' shows it[: the arrow keys mark one, Enter opens
it]. {Jobs and the latest results come last. Everything updates automatically}.

BUILDING: not redundant yet. A new RAID4 or RAID5 can be used while its parity is being computed.
DEGRADED: a member is missing. The data is intact, but the next failure may lose it.
ERRORS: no member is missing, but one has I/O or checksum errors: replace it before it fails. Or its RAID card
has a fault that can cost data.
INACTIVE: assembled, but not started. Its data cannot be read until it is started.

{m sets where alerts go when a disk fails, and proves that they arrive. The first line says when that was last done}.

{u opens the page of an array: its members, a light to find each, what it can become (g), scrub, removal}.

{r opens Care: what is wrong, which disk it is, what not to do, and what raidtui can do about it}.

{s starts a scrub, which reads everything and compares it. It also pauses, stops, or changes the speed of what is
running. The line above the keys shows the result}.

A member that is gone stays listed as lost, with its serial number and last place[, until you acknowledge it (a)].

FAILED: more members are missing than the array can survive. Write nothing to its disks, and do not re-create it.
Check whether a cable or a controller removed several at once. 'raidtui recover' looks for its files and writes to
no disk. {r offers it}.
"""

CARE: Final = """
Nothing is wrong here that raidtui can see. Each array, pool and volume group is listed with its redundancy. {Enter
opens its page}. What cannot be seen from here: whether backups exist, and whether a mail would reach you.
"""

DISKS: Final = """
Every disk of this computer is listed. {One without a box is in use: it says by what, and how to free it}. The
disks that the running system needs can never be chosen. {t on a member of an array, pool, volume group or
virtual drive shows how that is removed. It is removed once you have named its disks}.

A disk that merely holds data can be chosen: it would be erased, and the list says what would be lost. Nothing
is written before you have read the plan and typed the serial number of each disk that will be erased.

{The number in the box is the disk's place in the array}. Equal disks lose no space; of unequal disks most
levels use only as much as the smallest has. A hot spare takes over by itself when a member fails.

Names such as sda change between boots. raidtui knows a disk by its serial number or WWN, as printed
on its label. {Disks appear and disappear here as they are plugged in and pulled out}.
"""

LEVEL: Final = """
What each level gives on exactly these disks. {The bar is all disks: # holds your data, = protects it (copies,
parity and spares), . is not used: metadata, reserve, rest}. Survives says how many disks can fail, whichever they
are. The 5-year risk is the chance of losing data; a degraded array is assumed to fail three times as
often. Read and Write are large files, as multiples of one disk. {The star marks the recommended level}.

{s sorts by what matters to you: space, safety or speed. a shows the rare levels too, b the other backends: you
can choose those that raidtui can build; the rest are for comparison. m enlarges the map of the data and shows
which pairs of disks must not fail. w asks what if: one more disk, a larger one, a spare, other failure rates
and times. d shows every detail of a level}.

No level replaces a backup: none survives a fire, a thief, a wrong command or a file deleted by mistake.

The chunk is how much goes to one disk before the next; 512 KiB, the default, suits most uses. The layout
says where parity or copies are. RAID10 has three: n2 keeps two copies side by side. f2 keeps the second in the
far half of the disks: reads as fast as RAID0, writes slower. o2 keeps it one stripe below.

A hot spare holds no data until a member fails; then the array rebuilds onto it automatically.
"""

WHAT_IF: Final = """
The same disks with one change, or with other assumptions about failures. What becomes different is shown before and
after the arrow. No disk and no spec is changed. Enter keeps the rate and the times for the Level screen; the change
of the disks is only shown. Choose other disks on Disks, and spares with + and - on Level.

Failure rate: the share of such disks that fails in a year. Time to notice: from the failure until somebody knows of
it. An alert makes it short; without one it can be weeks. Time to obtain: from then until the new disk is in the
computer. A cold spare on the shelf makes it 0, a hot spare makes both times 0.

These two times and the rebuild are how long the array has less redundancy. The longer they are, the more likely
another disk fails meanwhile: that is the risk in the list.
"""

OPTIONS: Final = """
Everything here has a default that suits most uses. {The line below the fields explains the marked one; the line
above it says what starts the unit after a reboot}.

For an array, raidtui checks that its entry is in the initramfs. The filesystem is mounted from fstab by its
UUID, with nofail: a missing disk never keeps the computer from booting.
"""

REVIEW: Final = """
Nothing has been written yet. The first line says which disks the plan erases. The list starts with the hazards,
worst first. BLOCK stops the plan. {Accept each HIGH with Space}. WARN and INFO are for your information.
The steps follow in order, each with its reason, what it destroys, how it is verified and how it is undone.
Where it is known, a step says how long it takes, and the first line how long all of them take.

f adds steps that fix hazards: drive error recovery, the kernel's command timeout, the mail address for alerts,
a regular scrub. You need not accept a fixed hazard. These fixes belong to this
computer, not to the array: they stay when the array is removed.

{c shows the exact commands. r rehearses the plan in the lab, on sparse copies of these disks. s saves the spec,
a small file from which 'raidtui plan' and 'raidtui apply' make the same plan again. p saves the plan as a shell
script; it runs on this computer and these disks only}.
"""

PROCEDURE: Final = """
Nothing has been written yet. The first line says whether a disk is erased. {If one is, the next screen asks for its
serial number; otherwise it asks for a clear yes}. The steps follow in order, each with its reason, how it is
verified and how it is undone. The last ones wait until it is done, and check what was reached.

{Read the HIGH hazards and accept each with Space. c shows the exact commands. p saves the plan as a shell script;
it runs on this computer and these disks only}. Leave a disk that is to be replaced connected until the job is done,
if it still answers: it is a copy.
"""

REMOVAL: Final = """
Nothing has been written yet. These steps remove what was built and leave its disks free. They unmount and stop
it, erase the metadata on every member, and remove its lines from the files in /etc. Everything stored on it will
be lost, though it is not overwritten. {The next screen asks for the serial number of every disk}.

{c shows the exact commands. p saves the plan as a shell script; it runs on this computer and these disks only}.
Fixes that an earlier plan made belong to this computer and stay.
"""

CONFIRM: Final = """
Nothing has been written yet. Compare each disk with the label on the real one: its model, its size, its
serial number. Then type the last four characters of each serial number, or as many as it asks for where two
end alike. {A correct number moves on to the next disk}.

"Yes", Enter and device names do not confirm anything: sda today may be sdb tomorrow. {The button works when
all numbers are right. Where no disk is erased, choose the button with the arrow keys and press Enter}.

The disks are read once more just before the first write; if anything has changed
since, the job stops. {Once started, the job keeps running when you leave this screen or lose the connection}.
"""

UNIT: Final = """
The state of one array, pool or volume group, its members, and what it needs from you. {r opens Care on it: there
raidtui does what stands under 'To do', as a plan that you see first. n replaces any of its disks, also one that
works. g shows what it can become with more or larger disks. l makes the light of one of its disks blink, to find
it in the case, and says so at once if you pull another}.

{The commands do the same in a shell, as root, in this order. Each names its disk by a path that does not change at
the next boot. y copies them to the terminal's clipboard (OSC 52), if the terminal allows it}.

To replace a disk, choose the new one and see the plan first. A disk that works is copied, and stays a member until
then. For one that failed or is missing, the array is rebuilt onto the new disk.

FAILED: more members are missing than it can survive. Write nothing to its disks, and do not re-create it. Check
whether a cable or a controller removed several at once. 'raidtui recover' looks for its files and writes to no
disk. {r offers it}.
"""

GROW: Final = """
What this unit can become. {Usable is its size then, to the byte below the list}. Survives counts the disks that can
fail, whichever they are. The time is that with the check at the end, on disks that do nothing else. The unit can be
used meanwhile, which makes it longer.

{Enter shows the plan of the highlighted line}. Nothing is written before you confirm the plan. What is never done
has its reason: it was measured that it loses data, or it has not been measured.
"""

REHEARSAL: Final = """
The lab starts with a sparse copy of each disk of the plan. It has the same serial number, size, partition table,
signatures and superblocks, but no files. The real disks are opened read-only. The same commands run there with
this computer's own tools. Then the lab reboots: the filesystem must be mounted again, and a file in it
unchanged. For a recorded machine the copies are blank, and only a build can be rehearsed.

For a removal, a replacement or a growth the lab assembles the array from its members' superblocks. It makes a volume
group or a Btrfs anew, with the same names and UUIDs. Members and volumes are small there, so that a sync takes
seconds, and the filesystem is a new one.

What a rehearsal does not show: the running kernel, the controller, and how fast the real disks are.

It takes about a minute and some GB in /var/tmp. {Esc stops it}. The confirmation says that it was rehearsed.
"""

BUILD: Final = """
The job runs in its own process. {Esc goes to the overview and does not stop it; neither does closing raidtui or
losing the connection. The overview and Jobs open it again}.

{The bar estimates how far the job is from what each step took before on this computer, or commonly takes. Each
step shows how long it took and, below the list, its commands and their output. l shows the whole journal.
x stops the job after the current step. If a step fails, r resumes from that step and u rolls back}.

When the steps are done, the array can be used. The kernel then runs the first resync: it computes parity, or
copies one member to the others. Until it ends, some levels cannot survive a disk failure[; the first line says
so]. {p pauses the resync, + and - change its speed, where the backend can; the limits are restored when it ends.
Once it is in sync, s starts a scrub}. The time left is a range, because rotating disks become slower towards the inner tracks.
"""

BENCHMARK: Final = """
The rows are CrystalDiskMark's. SEQ1M Q8T1 reads or writes 1 MiB blocks in order, eight at a time: copying large
files. SEQ1M Q1T1 does it one at a time. RND4K Q32T1 accesses random 4 KiB blocks, 32 at a time: a busy database
or virtual machines. RND4K Q1T1 accesses them one at a time: starting a program. Mix is 70 % reads and 30 %
writes. {Press o for other grids: through the page cache, eight streams, Bonnie++, file sizes, chunks and stripes,
latency under load, sustained writes. A figure with /s counts operations, not bytes}.

The large figures are MB/s (millions of bytes a second), the median of the runs. {The bar has a logarithmic scale
from 0.1 MB/s to 10k MB/s, which the heading labels. While a cell is measured again, "now" is its current speed}.
A letter flags an unreliable cell. The array: R syncing, C cached, F used by others. The runs: V differ a lot,
S trend, E cut short. The computer: B CPU-bound, Q queue not full, T heat, Z compressed zeros. {Press Enter on a cell for every run, its speed over time, its latencies and the exact fio command}.

The test file is created in the chosen directory and always removed[; x stops at once]. A sync slows every
benchmark down: raidtui refuses to measure then, or measures anyway and flags the result.
"""

TARGET: Final = """
A benchmark measures where its test file lies: on the array, if you choose its mount point. Tab moves between the
list and the path. A typed path can be any directory on a mounted filesystem. The test file is always removed.

A block device, such as /dev/md/tank, is only read, and nothing is written to it.
"""

BENCH_OPTIONS: Final = """
Profile: which rows are measured; the text below the fields describes it. An empty field takes the value that is
shown in it.

Size: of the test file. Larger than the memory of the computer or of a RAID card is safer: a small file may be read
from a cache. Time budget: how long everything may take; it sets runs and seconds. Runs: how often each cell is
measured; the median is shown. More runs detect smaller differences. Seconds: how long each run measures.

Mix: also 70 % reads with 30 % writes. Cache: direct I/O, as most profiles say, measures the disks; through the page
cache it measures what programs see. Method: raidtui's, or as CrystalDiskMark 8 or 9 measures, to compare with
figures from there. Label: the name of the result in Compare.
"""

SWEEP: Final = """
A sweep builds every array of its file on the same disks, waits for its sync, measures it, removes it and
starts the next, unattended. {Each row is an array}. Each pass measures all of them in another order: drift
then shows as a difference between passes and favors no array.

{The figures are read and write of the first row of the grid}. All of them are stored as results: Compare
puts them side by side. An array that cannot be built or measured says why, and the sweep continues.

{Each part is a job of its own; Enter watches the one that runs. x stops the sweep and leaves its disks free. r
resumes it, also after a power cut, and measures nothing twice}.
"""

COMPARE: Final = """
{Pick two or more results with Space}. The first is the baseline[; b changes it]. {Enter compares them. / filters
the list, o opens the highlighted result in the benchmark grid, y copies it as text. p lists what others published; you can pick from both lists. h shows one target over time}.

The first line is the conclusion. A star marks the best of each row, "1.50x" is one and a half times the
baseline. The sign after it is the verdict: + faster or - slower by more than 3 %, = equal within 3 %, ? no
significant difference. Verdicts are a t-test on the logarithms of the runs, corrected for the number of rows.
{Below the table is the interval for the marked row}. Two results of one target were measured in two sittings:
anything that changed between them counts as a difference. The passes of a sweep alternate, which excludes that.

{v changes what is shown: MB/s, factors, IOPS, latency, rank, share of the ideal. g groups by level, chunk,
filesystem, machine, day or array. Left and right bring more columns; the baseline stays. a draws the marked row
as bars over all results}.

"!" is a warning that something else differs too (size, engine, computer, a resync while measuring), so the
figures cannot simply be compared. {w shows all differences and every conclusion. y copies the table to the
clipboard, where the terminal allows it (OSC 52). e saves a file: .md for a forum, .html with charts, .csv for a
spreadsheet, .txt as plain text, .json for 'raidtui results import' elsewhere}.
"""


def for_screen(text: str) -> str:
    """The whole text, as a screen shows it."""
    return re.sub(r"[\[\]{}]", "", text)


def in_words(text: str) -> list[str]:
    """The paragraphs of the text without what is only about the screen, each in one line."""
    kept = re.sub(r"\{[^}]*\}\.|\[[^]]*\]", "", text)
    return [" ".join(paragraph.split()) for paragraph in kept.split("\n\n") if paragraph.strip()]
