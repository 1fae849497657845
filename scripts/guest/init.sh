#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Process 1 of the guest. Replaces systemd, which would take most of the boot time under TCG: mounts file systems, starts udev
# (which loads the drivers of the devices that it finds, as on any Debian) and the agent that runs commands.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=linux
exec </dev/null
# The agent sends problems to the host instead of READY.
problem() { echo "$*" >>/run/softgen/problems; echo "softgen guest: $*" >/dev/tty0; }
mkdir -p /run/lock /run/user/0
chmod 700 /run/user/0
mount_on() { target=$1; shift; mkdir -p "$target"; mount "$@" "$target" || problem "$target does not mount"; }
mount_on /dev/pts -t devpts -o mode=620,ptmxmode=666 devpts
mount_on /dev/shm -t tmpfs -o mode=1777 tmpfs
mount_on /tmp -t tmpfs -o mode=1777 tmpfs
mount_on /sys/kernel/debug -t debugfs debugfs
mount_on /sys/kernel/tracing -t tracefs tracefs
mount_on /sys/fs/cgroup -t cgroup2 cgroup2
hostname softgen-guest
ip link set lo up
read -r cmdline </proc/cmdline
for word in $cmdline; do
    case $word in
        softgen.guest=*) guest=${word#*=} ;;
        softgen.share) share=1 ;;
        softgen.depmod) depmod -a ;;
    esac
done
echo "softgen guest: Debian $guest, Linux $(uname -r)" >/dev/tty0
/lib/systemd/systemd-udevd --daemon
udevadm trigger --type=subsystems --action=add
udevadm trigger --type=devices --action=add
modprobe virtio_console
if [ -n "$share" ]; then
    modprobe 9pnet_virtio
    mount_on /mnt/share -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=mmap share
fi
udevadm settle --timeout=120 || problem "udev does not settle"
# Process 1 reaps orphans while it waits; when the agent ends, the machine does.
/run/softgen/agent &
wait $!
busybox poweroff -f
