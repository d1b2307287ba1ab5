#!/bin/sh
# Becomes process 1 of a machine of its own: the files of this one, where changes go to memory and are gone in
# the end. Runs in fresh mount, PID, network, UTS, IPC and cgroup namespaces.
#
#   scratch_root.sh DIRECTORY BOOT [FROM TO]...
#
# DIRECTORY: an empty directory.
# BOOT: "systemd", or "nothing" for a process 1 that only waits.
# FROM TO: directories of this machine to be seen there, read-only.
set -eu

directory=$1 boot=$2
shift 2
mount --make-rprivate /
mount -t tmpfs -o mode=755 scratch "$directory"
cd "$directory"
mkdir upper work root
mount -t overlay -o "lowerdir=/,upperdir=$directory/upper,workdir=$directory/work" scratch root
cd root

mount -t proc proc proc
# A kernel setting that is changed here would change for the whole machine: make them read-only.
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=1777 scratch tmp
mount -t tmpfs -o mode=755 scratch run
mount -t tmpfs -o mode=755 scratch dev
mkdir dev/shm dev/pts
for device in null zero full random urandom tty; do
  : > "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
: > dev/console
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
while [ $# -gt 0 ]; do
  mkdir -p "./$2"
  mount --bind "$1" "./$2"
  mount -o remount,bind,ro "./$2"
  shift 2
done

# Files that this machine's own programs may have left.
rm -rf var/cache/eventstore var/lib/eventstore var/lib/eventstore-backup etc/eventstore

# Without these files packages may start services, and do not index all manual pages.
rm -f usr/sbin/policy-rc.d var/lib/man-db/auto-update

if [ "$boot" = systemd ]; then
  # No unit of this machine starts, except the few that others depend on, and those do nothing.
  rm -rf etc/systemd/system/*.wants usr/lib/systemd/system/*.wants usr/lib/systemd/system-generators
  mkdir -p etc/systemd/system
  for target in sysinit basic scratch network-online multi-user timers; do
    printf '[Unit]\nDefaultDependencies=no\n' > "etc/systemd/system/$target.target"
  done
  mount -t cgroup2 cgroup2 sys/fs/cgroup
fi

# The loopback interface is down in a new namespace. SIOCSIFFLAGS, IFF_UP; not every machine has a program for it.
perl -MSocket -e 'socket(my $s, AF_INET, SOCK_DGRAM, 0);
  my $up = pack("a16 s x22", "lo", 1);
  ioctl($s, 0x8914, $up) or die $!'

mkdir tmp/old
pivot_root . tmp/old
umount -l /tmp/old
rmdir /tmp/old
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
case $boot in
  systemd) exec env -i PATH="$PATH" container=scratch /lib/systemd/systemd --system --unit=scratch.target ;;
  *) exec env -i PATH="$PATH" sleep infinity ;;
esac
