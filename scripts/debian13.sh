#!/usr/bin/env bash
# Runs the two commands of the README in a fresh Debian 13, a folder of its own that shares nothing but the kernel.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/debian13.sh [--keep] [COMMAND...]

Makes a root with debootstrap, copies the files that git knows into it, as they are in this tree, and runs
scripts/quickstart.sh and scripts/test.sh there, or COMMAND instead. As root; takes an hour and 15 GB.
  --keep   goes on in the root of the last run, with what was installed and built there
environment:
  PLUMB_DEBIAN_ROOT    where the root goes (default: build/debian13 of this tree); it is replaced
  PLUMB_DEBIAN_MIRROR  where packages come from (default: http://deb.debian.org/debian)
USAGE
}

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
root=${PLUMB_DEBIAN_ROOT:-$tree/build/debian13}
mirror=${PLUMB_DEBIAN_MIRROR:-http://deb.debian.org/debian}
keep=no
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --keep) keep=yes; shift ;;
  -*) echo "debian13: unknown option '$1'" >&2; usage >&2; exit 2 ;;
esac
if [ $# -eq 0 ]; then set -- sh -c 'scripts/quickstart.sh && scripts/test.sh'; fi
[ "$(id -u)" = 0 ] || { echo "debian13: needs root, for chroot" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "debian13: debootstrap is not installed" >&2; exit 2; }

# The mark in it says that the folder is this script's own, which may be removed.
make_root() {
  if [ -e "$root" ] && [ ! -e "$root/made-by-plumbline" ]; then
    echo "debian13: $root exists and was not made by this script" >&2
    exit 2
  fi
  rm -rf "$root"
  mkdir -p "$root"
  touch "$root/made-by-plumbline"
  echo "debian13: making $root"
  debootstrap --variant=minbase trixie "$root" "$mirror" >"$root.log" 2>&1 || { tail "$root.log" >&2; exit 1; }
}

copy_tree() {
  mkdir -p "$root/plumbline"
  find "$root/plumbline" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  git -C "$tree" ls-files -z | tar --create --directory "$tree" --null --files-from - --ignore-failed-read |
    tar --extract --directory "$root/plumbline"
}

if [ "$keep" = no ] || [ ! -e "$root/made-by-plumbline" ]; then make_root; fi
copy_tree
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

# Mounts and processes are the root's own, and end with the command.
export tree root
# shellcheck disable=SC2016  # expanded inside
exec unshare --mount --pid --fork bash -euc '
  mount --make-rprivate /
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    bash -euc "cd /plumbline && exec \"\$@\"" debian13 "$@"' debian13 "$@"
