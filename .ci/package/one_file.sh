#!/bin/sh
# raidtui @VERSION@ in one file: no Python and no network needed. It unpacks itself once, into the first folder that it
# may write and run programs in; RAIDTUI_CACHE names another. Below this script follows a compressed archive.
set -eu
name=@NAME@
me=$(id -u)

# A folder that others can write to would let them choose what runs here as root.
own() {
    [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ] || return 1
    case $(ls -ld "$1") in d????-??-?*) ;; *) return 1 ;; esac
}

unpack() { # the folder that keeps what is unpacked
    mkdir -p -m 700 "$1" 2>/dev/null || true
    own "$1" || return 1
    if [ -x "$1/$name/bin/python3" ] && "$1/$name/bin/python3" -I -S -c '' 2>/dev/null; then return 0; fi
    new=$1/.$name.$$
    trap 'rm -rf "$new"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    mkdir -m 700 "$new" 2>/dev/null &&
        tail -n +@LINES@ "$0" 2>/dev/null | gzip -dc 2>/dev/null | tar -xf - -C "$new" 2>/dev/null &&
        "$new/bin/python3" -I -S -c '' 2>/dev/null || { rm -rf "$new"; return 1; }
    rm -rf "${1:?}/$name"
    mv "$new" "$1/$name"
    trap - EXIT HUP INT TERM
}

if [ -n "${RAIDTUI_CACHE-}" ]; then
    set -- "$RAIDTUI_CACHE" -- "$@"
elif [ "$me" -eq 0 ]; then
    set -- /var/cache/raidtui /root/.cache/raidtui /run/raidtui-unpacked /dev/shm/raidtui-0 /tmp/raidtui-0 -- "$@"
else
    set -- "${XDG_CACHE_HOME:-${HOME:-/}/.cache}/raidtui" "/var/tmp/raidtui-$me" "/dev/shm/raidtui-$me" "/tmp/raidtui-$me" -- "$@"
fi
found=''
tried=''
while [ "$1" != -- ]; do
    tried="$tried $1"
    if [ -z "$found" ] && unpack "$1"; then found=$1/$name; fi
    shift
done
shift
if [ -z "$found" ]; then
    echo "raidtui: no folder to unpack into; it needs @MEGABYTES@ MB, and programs must be allowed to run there" >&2
    echo "raidtui: tried$tried; name another with RAIDTUI_CACHE=FOLDER" >&2
    exit 5
fi
exec "$found/bin/python3" -P -m raidtui "$@"
exit 5
