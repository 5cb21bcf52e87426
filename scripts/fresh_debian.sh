#!/usr/bin/env bash
# Runs a command in a fresh Debian, a folder of its own that shares nothing with this machine but the kernel.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/fresh_debian.sh [--keep] RELEASE COMMAND...

Makes a root of that release (12 or 13) with debootstrap, copies the files that git knows into it, as they are in this
tree, and runs COMMAND there, beside them. As root. With nothing but the README's two commands, 'sh -c
"scripts/quickstart.sh && scripts/test.sh"', it takes an hour and 15 GB.
  --keep   goes on in the root of the last run, with what was installed and built there
environment:
  PLUMB_DEBIAN_ROOT    where the root goes (default: build/debianRELEASE of this tree); it is replaced
  PLUMB_DEBIAN_MIRROR  where packages come from (default: http://deb.debian.org/debian)
  PLUMB_DEBIAN_BRINGS  a folder that is put beside the files, as build/brought (default: none)
USAGE
}

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mirror=${PLUMB_DEBIAN_MIRROR:-http://deb.debian.org/debian}
keep=no
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --keep) keep=yes; shift ;;
  -*) echo "fresh_debian: unknown option '$1'" >&2; usage >&2; exit 2 ;;
esac
case ${1:-} in
  12) suite=bookworm ;;
  13) suite=trixie ;;
  *) echo "fresh_debian: '${1:-}' is no release, wanted 12 or 13" >&2; usage >&2; exit 2 ;;
esac
root=${PLUMB_DEBIAN_ROOT:-$tree/build/debian$1}
shift
[ $# -gt 0 ] || { echo "fresh_debian: which command?" >&2; usage >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "fresh_debian: needs root, for chroot" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh_debian: debootstrap is not installed" >&2; exit 2; }

# The mark in it says that the folder is this script's own, which may be removed.
make_root() {
  if [ -e "$root" ] && [ ! -e "$root/made-by-plumbline" ]; then
    echo "fresh_debian: $root exists and was not made by this script" >&2
    exit 2
  fi
  rm -rf "$root"
  mkdir -p "$root"
  touch "$root/made-by-plumbline"
  echo "fresh_debian: making $root"
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || { tail "$root.log" >&2; exit 1; }
}

copy_tree() {
  mkdir -p "$root/plumbline"
  find "$root/plumbline" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  git -C "$tree" ls-files -z | tar --create --directory "$tree" --null --files-from - --ignore-failed-read |
    tar --extract --directory "$root/plumbline"
  if [ -n "${PLUMB_DEBIAN_BRINGS:-}" ]; then
    rm -rf "$root/plumbline/build/brought"
    mkdir -p "$root/plumbline/build"
    cp -a "$PLUMB_DEBIAN_BRINGS" "$root/plumbline/build/brought"
  fi
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
    bash -euc "cd /plumbline && exec \"\$@\"" fresh_debian "$@"' fresh_debian "$@"
