# Runs as a service of the guest after boot. raidtui.lab.qemu.engine writes the settings PYTHON, AGENT, LINE, VISIBLE,
# SHARE and RULES before these lines.
# It mounts the host's files over the guest's own, writable in memory only, and execs the agent.
set -e
trap 'systemctl --no-block poweroff' EXIT # until the exec below: if anything fails here, the host notices at once
p9() { # tag, options, folder
    mkdir -p "$3"
    mount -n -t 9p -o "trans=virtio,version=9p2000.L,msize=262144,$2" "$1" "$3"
}

p9 host ro,cache=loose /run/raidtui-host
mkdir -p /run/raidtui-over
mount -n -t tmpfs -o mode=755 lab /run/raidtui-over
number=0
# One folder per line; what is written there stays in the guest's memory.
printf '%s\n' "$VISIBLE" | while read -r place; do
    number=$((number + 1))
    over=/run/raidtui-over/$number
    mkdir -p "$over/upper" "$over/work" "$place"
    mount -n -t overlay -o "lowerdir=/run/raidtui-host$place,upperdir=$over/upper,workdir=$over/work" lab "$place"
done
p9 boot cache=none /boot
if [ -n "$SHARE" ]; then
    p9 share cache=mmap "$SHARE"
fi
rules=/etc/udev/rules.d/59-raidtui-lab.rules # kept: at the next boot the disks have their names before this runs
if [ -n "$RULES" ] && [ ! -e $rules ]; then
    printf '%s' "$RULES" >$rules
    udevadm control --reload
    udevadm trigger --subsystem-match=block --action=change
fi
udevadm settle --timeout=60
exec "$PYTHON" -I -S "$AGENT" "$LINE" systemctl poweroff
