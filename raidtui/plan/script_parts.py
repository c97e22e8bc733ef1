"""The fixed parts of a plan's shell script: checks before the first write, and functions that its steps call."""

from typing import Final

BEFORE_CONDITIONS: Final = r"""set -eu
export LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1 PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
umask 022
unset commands capsule
step=''
timeout=300
newline='
'

say() { printf '%s\n' "$*" >&2; }
refuse() {
    say "refused: $*. Nothing was changed."
    exit 3
}
ended() {
    code=$?
    [ "$code" -ne 0 ] && [ -n "$step" ] || exit "$code"
    say "step $step failed; the steps before it are done. What was on the disks is saved in ${capsule:-no place}"
    exit 4
}
trap ended EXIT
trap 'exit 130' INT TERM HUP

# --- Questions to tools

# Ask a tool, with a timeout in seconds.
asked() { timeout -k 5 "$timeout" "$@" </dev/null; }
# Does no line of $1 equal $2? An error of grep is not a no.
lacks() {
    lacking=0
    printf '%s\n' "$1" | grep -qxF -e "$2" || lacking=$?
    [ "$lacking" -eq 1 ]
}
# Is nothing in $1 like the pattern $2, in any case?
unlike() {
    lacking=0
    printf '%s\n' "$1" | grep -qi -e "$2" || lacking=$?
    [ "$lacking" -eq 1 ]
}
# wipefs says nothing of a blank disk: then it must say who it is.
is_wipefs() { case $(asked wipefs --version) in *util-linux*) ;; *) return 1 ;; esac; }

# --- Checks of a disk

# The serial numbers, WWNs and by-id names of the disk $1, one per line.
names_of() {
    {
        asked lsblk --nodeps --noheadings --output SERIAL "$1"
        asked lsblk --nodeps --noheadings --output WWN "$1"
        asked udevadm info --query=property --name="$1" | sed -n -e 's/^ID_[A-Z_]*SERIAL[A-Z_]*=//p' -e 's/^ID_SERIAL=//p' \
            -e 's/^ID_WWN[A-Z_]*=//p'
        asked udevadm info --query=symlink --name="$1" | tr ' ' '\n' | sed -n 's|^disk/by-id/||p'
        cat "/sys/class/block/${1##*/}/device/serial" "/sys/class/block/${1##*/}/serial"
        sed -e 's/^naa\./0x/' "/sys/class/block/${1##*/}/device/wwid" "/sys/class/block/${1##*/}/wwid"
    } 2>/dev/null | sed -e 's/^ *//' -e 's/ *$//' || :
}

# Every signature on the device $1 and its partitions, one per line. Fails if one cannot be read: unknown is not
# blank.
contents_of() {
    name=${1##*/}
    contents=$(
        signatures_of "$1" disk || exit 1
        for folder in "/sys/class/block/$name/$name"*; do
            [ -e "$folder/partition" ] || continue
            number=$(cat "$folder/partition") || exit 1
            signatures_of "/dev/${folder##*/}" "partition $number" || exit 1
        done
    ) || return 1
    [ -n "$contents" ] || { is_wipefs; return; }
    printf '%s\n' "$contents" | awk 'NF { $1 = $1; print }' | sort -u
}
signatures_of() {
    signatures=$(asked wipefs --noheadings --output TYPE,UUID "$1") || return 1
    [ -z "$signatures" ] || printf '%s\n' "$signatures" | sed -e "s/^/$2 /"
}

# Users of the disk $1 or its partitions that an exclusive open does not detect: loop devices and processes. Fails if
# they cannot be listed: this shell must be in the list of open files.
users_of() {
    case $1 in *[0-9]) parts="$1p[0-9]*" ;; *) parts="$1[0-9]*" ;; esac
    for file in /sys/block/loop*/loop/backing_file; do
        [ -e "$file" ] || continue
        # shellcheck disable=SC2254
        case $(readlink -f "$(cat "$file")") in "$1" | $parts) printf '%s\n' "${file%/loop/backing_file}" ;; esac
    done
    openers=$(asked find /proc/[0-9]*/fd \( -lname "$1" -o -lname "$parts" -o -path "/proc/$$/fd" \) 2>/dev/null |
        cut -d/ -f3 | sort -u)
    case $newline$openers$newline in *"$newline$$$newline"*) ;; *) return 1 ;; esac
    printf '%s\n' "$openers" |
        while read -r process; do
            [ "$process" != "$$" ] || continue
            case $(cat "/proc/$process/comm" 2>/dev/null) in *udev* | '') ;; *) printf 'process %s\n' "$process" ;; esac
        done
}

# Is $1 the disk with serial number (or WWN) $2, $3 bytes and the contents $4? If $5 is "free": is it not in use?
same_disk() {
    within 3 is_there "$1" || refuse "there is no disk $1"
    node=$(node_of "$1") || refuse "there is no disk $1"
    names_of "$node" | grep -qixF -e "$2" || refuse "$1 is not the disk $2"
    size=$(blockdev --getsize64 "$node")
    [ "$size" = "$3" ] || refuse "$2 has $size bytes and not $3"
    contents=$(contents_of "$node") || refuse "$2 ($node) cannot be read"
    [ "$contents" = "$4" ] || refuse "what is on $2 is not what was on it when the plan was made"
    # Open it exclusively, without writing: this fails while anything uses the disk.
    [ "$5" = free ] || return 0
    within 3 is_unclaimed "$node" || refuse "$2 ($node) is in use"
    within 3 is_unused "$node" || refuse "$2 ($node) is in use by $user"
}
is_unused() {
    user='what cannot be listed'
    users=$(users_of "$1") || return 1
    user=${users%%"$newline"*}
    [ -z "$user" ]
}

# Does $erase name each of these disks once, by its serial number or at least the last four characters of it?
all_named() {
    seen=''
    rest=$erase
    while [ -n "$rest" ]; do
        word=${rest%%,*}
        case $rest in *,*) rest=${rest#*,} ;; *) rest='' ;; esac
        [ -n "$word" ] || continue
        hits=0
        for serial; do
            [ "$serial" = "$word" ] && { hits=1 found=$serial; break; }
            [ "${#word}" -ge 4 ] || continue
            case $serial in *"$word") hits=$((hits + 1)) found=$serial ;; esac
        done
        [ "$hits" -eq 1 ] || refuse "'$word' names $hits of the disks to be erased: $*"
        case ",$seen," in *",$found,"*) refuse "$found is named twice" ;; esac
        seen="$seen,$found"
    done
    for serial; do
        case ",$seen," in *",$serial,"*) ;; *) refuse "the disk $serial is not named with --erase" ;; esac
    done
}

# Does $accept name each of these HIGH hazards?
all_accepted() {
    unseen=''
    for hazard; do
        case ",$accept," in *",$hazard,"*) ;; *) unseen=$unseen,$hazard ;; esac
    done
    [ -z "$unseen" ] || refuse "this must be acknowledged first; the head of $0 explains it: --accept ${unseen#,}"
}

# --- Called by steps

# Closing a disk after opening it for writing makes udev probe it again, which it did not do while it was locked.
look_again() { for disk; do : 3<>"$disk"; done; }

# Repeat a check up to $1 times, a second apart, until it succeeds.
within() {
    left=$1
    shift
    until "$@"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 1
    done
}
must() {
    within 10 "$@" || {
        say "check failed: $*"
        exit 1
    }
}
# The kernel's node of the device $1. udev may remove a link briefly, even between two checks.
node_of() {
    node_found=$(readlink -f "$1") && is_there "$node_found" && printf '%s\n' "$node_found"
}
"""

CALLED_BY_STEPS: Final = r"""# Add the line $2 to the file $1, unless it is there. The file is replaced atomically.
put_line() {
    has=0
    has_line "$1" "$2" || has=$?
    [ "$has" -eq 1 ] || return "$has"
    [ -L "$1" ] || mkdir -p "${1%/*}"
    file=$(readlink -f "$1")
    if [ -e "$file" ]; then
        cp -p "$file" "$file.new"
    else
        : >"$file.new"
        chmod 644 "$file.new"
    fi
    [ -z "$(tail -c 1 "$file.new")" ] || echo >>"$file.new"
    printf '%s\n' "$2" >>"$file.new"
    sync "$file.new"
    mv "$file.new" "$file"
}
drop_line() {
    has=0
    has_line "$1" "$2" || has=$?
    case $has in 0) ;; 1) return 0 ;; *) return "$has" ;; esac
    file=$(readlink -f "$1")
    cp -p "$file" "$file.new"
    line=$2 awk '{ bare = $0; sub(/[[:space:]]+$/, "", bare) } bare != ENVIRON["line"]' "$file" >"$file.new"
    sync "$file.new"
    mv "$file.new" "$file"
}

# Save what the steps overwrite on the disk $2 under the name $1: table, contents, and extents OFFSET:LENGTH.
save() {
    folder=$capsule/$1
    disk=$2
    node=$(node_of "$2")
    shift 2
    mkdir "$folder"
    sfdisk --dump "$node" >"$folder/table.txt" 2>/dev/null || :
    mdadm --examine "$node" >"$folder/examine.txt" 2>&1 || :
    contents_of "$node" >"$folder/contents.txt"
    for stretch; do save_stretch "${stretch%:*}" "${stretch#*:}"; done
    for part in "/sys/class/block/${node##*/}/${node##*/}"*; do
        [ -e "$part/partition" ] || continue
        start=$(cat "$part/start")
        size=$(cat "$part/size")
        start=$((start * 512))
        size=$((size * 512))
        length=1048576
        [ "$size" -ge "$length" ] || length=$size
        save_stretch "$start" "$length"
        save_stretch $((start + size - length)) "$length"
    done
}
save_stretch() {
    dd if="$node" of="$folder/$1.$2" bs="$2" count=1 skip="$1" iflag=skip_bytes status=none
    printf 'dd if=%s of=%s bs=%s count=1 seek=%s oflag=seek_bytes conv=notrunc,fsync status=none\n' \
        "$folder/$1.$2" "$disk" "$2" "$1" >>"$capsule/restore.sh"
}
"""

# Also passed to the shell that runs commands under locks.
PATIENTLY: Final = r"""# Run a command, and repeat it while the device is busy: udev may have it open briefly.
patiently() {
    for pause in 0.2 0.5 1 2 4 8 0; do
        code=0
        said=$("$@" 2>&1) || code=$?
        [ -z "$said" ] || printf '%s\n' "$said" >&2
        [ "$code" -ne 0 ] && [ "$pause" != 0 ] || return "$code"
        case $said in *[Bb]usy* | *'exclusive access'*) ;; *) return "$code" ;; esac
        printf 'busy; trying again in %s s\n' "$pause" >&2
        sleep "$pause"
    done
}
"""

ARGUMENTS: Final = r"""
erase=''
accept=''
usage() {
    say "usage: $0 --erase SERIAL[,SERIAL...] [--accept ID[,ID...]], naming every disk that will be erased and every" \
        "HIGH hazard; nothing was changed"
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
    --erase=*) erase=$erase,${1#--erase=} ;;
    --accept=*) accept=$accept,${1#--accept=} ;;
    --erase | --accept)
        [ $# -ge 2 ] || usage
        case $1 in --erase) erase=$erase,$2 ;; *) accept=$accept,$2 ;; esac
        shift
        ;;
    *) usage ;;
    esac
    shift
done
"""
