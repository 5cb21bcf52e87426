#!/usr/bin/env bash
# Makes a Vulkan SDK out of Debian 13 packages, without touching the system:
# recent headers, glslang, SPIRV-Tools, validation layers, and Mesa's CPU driver
# (lavapipe) with cooperative matrices. Nothing is installed; packages are only
# unpacked, and their programs run on the C library they came with.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/sdk.sh [--force]

Does nothing where the distribution itself is recent enough, or the SDK is there.
  --force   make it anew
environment:
  PLUMB_SDK            where it goes (default: build/sdk of this tree)
  PLUMB_DEBIAN_MIRROR  where packages come from (default: http://deb.debian.org/debian)

It holds bin/: glslangValidator, spirv-opt, spirv-val, spirv-dis, spirv-as, and
  with-mesa PROGRAM ARGS...         runs a program of the host on the SDK's Mesa
  with-system-mesa PROGRAM ARGS...  runs it on the distribution's Mesa, whatever GPUs there are
USAGE
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sdk=${PLUMB_SDK:-$root/build/sdk}
mirror=${PLUMB_DEBIAN_MIRROR:-http://deb.debian.org/debian}
force=no
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --force) force=yes ;;
  "") ;;
  *) echo "sdk: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
esac

packages=(glslang-tools glslang-dev spirv-tools libvulkan-dev vulkan-validationlayers
  mesa-vulkan-drivers/trixie-backports libtomlplusplus-dev)
multiarch=x86_64-linux-gnu
# A change of the recipe makes a new SDK.
recipe=$(sha256sum "${BASH_SOURCE[0]}" | cut -d' ' -f1)

version_of() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null || echo 0; }
at_least() { dpkg --compare-versions "$(version_of "$1")" ge "$2"; }

# What the shaders and their tests need; docs/design.md says why.
distribution_is_recent() {
  at_least libvulkan-dev 1.3.275 && at_least glslang-tools 15 && at_least mesa-vulkan-drivers 26
}

is_ready() { [ "$force" = no ] && [ "$(cat "$sdk/stamp" 2>/dev/null)" = "$recipe" ]; }

if [ "$force" = no ] && distribution_is_recent; then exit 0; fi
if is_ready; then exit 0; fi
if [ "$(dpkg --print-architecture)" != amd64 ]; then
  echo "sdk: is made of amd64 packages; this is $(dpkg --print-architecture)" >&2
  exit 2
fi

mkdir -p "$(dirname "$sdk")"
exec 9>"$sdk.lock"
flock 9
if is_ready; then exit 0; fi  # another run made it meanwhile

work=$(mktemp -d "$sdk.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# An apt of its own: it sees no package of this system and changes none.
configure_apt() {
  local apt=$work/apt keyring=/usr/share/keyrings/debian-archive-trixie-automatic.gpg
  [ -r "$keyring" ] || keyring=$root/scripts/debian-archive-trixie.asc  # the same key
  mkdir -p "$apt"/{state/lists/partial,cache/archives/partial,sources,none}
  : >"$apt/status"
  cp "$keyring" "$apt/"
  cat >"$apt/sources/trixie.sources" <<SOURCES
Types: deb
URIs: $mirror
Suites: trixie trixie-updates trixie-backports
Components: main
Signed-By: $apt/$(basename "$keyring")
SOURCES
  apt_get=(env DEBIAN_FRONTEND=noninteractive apt-get -qq
    -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
    -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$apt/sources"
    -o Dir::Etc::Preferences=/dev/null -o "Dir::Etc::PreferencesParts=$apt/none"
    -o APT::Architecture=amd64 -o APT::Architectures=amd64 -o APT::Default-Release=
    -o APT::Install-Recommends=false -o APT::Sandbox::User=root -o Acquire::Languages=none
    -o Acquire::Retries=5 -o Debug::NoLocking=true)
}

download() {
  "${apt_get[@]}" update && "${apt_get[@]}" -y --download-only install "${packages[@]}" >/dev/null
}

unpack() {
  local package
  for package in "$work"/apt/cache/archives/*.deb; do
    dpkg -x "$package" "$work/tree"
    basename "$package" .deb
  done >"$work/tree/packages.txt"
}

# Every wrapper finds the SDK by its own place, so that the folder can be moved.
write_tools() {
  local tool
  mkdir -p "$work/tree/bin"
  for tool in glslangValidator spirv-opt spirv-val spirv-dis spirv-as; do
    cat >"$work/tree/bin/$tool" <<TOOL
#!/bin/sh
usr="\${0%/*}/../usr" lib="\${0%/*}/../usr/lib/$multiarch"
exec "\$lib/ld-linux-x86-64.so.2" --library-path "\$lib" "\$usr/bin/$tool" "\$@"
TOOL
  done
  cat >"$work/tree/bin/with-mesa" <<'TOOL'
#!/bin/sh
# Runs a program built on this system on the SDK's C library and Mesa, so that it
# sees the SDK's lavapipe and nothing else. The host's libraries come second.
[ $# -gt 0 ] || { echo "usage: with-mesa PROGRAM ARGS..." >&2; exit 2; }
sdk=$(cd "${0%/*}/.." && pwd) || exit 2
program=$(command -v "$1") || { echo "with-mesa: no program '$1'" >&2; exit 2; }
shift
lib=$sdk/usr/lib/MULTIARCH
export VK_DRIVER_FILES="$sdk/vulkan/lvp_icd.json" VK_ICD_FILENAMES="$sdk/vulkan/lvp_icd.json"
export VK_LAYER_PATH="$sdk/vulkan" VK_LOADER_LAYERS_DISABLE="~implicit~"
export PLUMB_RUNNER="$sdk/bin/with-mesa"  # for a program that starts programs
exec "$lib/ld-linux-x86-64.so.2" \
  --library-path "$lib:/usr/lib/MULTIARCH:/lib/MULTIARCH${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$program" "$@"
TOOL
  cat >"$work/tree/bin/with-system-mesa" <<'TOOL'
#!/bin/sh
# Runs a program on the distribution's lavapipe, whatever GPUs there are.
[ $# -gt 0 ] || { echo "usage: with-system-mesa PROGRAM ARGS..." >&2; exit 2; }
for driver in /usr/share/vulkan/icd.d/lvp_icd*.json; do [ -r "$driver" ] && break; done
[ -r "$driver" ] || { echo "with-system-mesa: no lavapipe in /usr/share/vulkan/icd.d" >&2; exit 2; }
export VK_DRIVER_FILES="$driver" VK_ICD_FILENAMES="$driver" VK_LOADER_LAYERS_DISABLE="~implicit~"
exec "$@"
TOOL
  sed -i "s/MULTIARCH/$multiarch/g" "$work/tree/bin/with-mesa"
  chmod 755 "$work"/tree/bin/*
}

# Copies of the loader's manifests that name this SDK's libraries (a relative path
# counts from the manifest), and one folder with just the headers that are wanted.
write_manifests() {
  local share=$work/tree/usr/share/vulkan include=$work/tree/include
  mkdir -p "$work/tree/vulkan" "$include"
  local key='"library_path": *' from
  local to_library="s#\($key\)\"\([^\"]*/\)\?\([^\"/]*\)\"#\1\"../usr/lib/$multiarch/\3\"#"
  for from in icd.d/lvp_icd.json explicit_layer.d/VkLayer_khronos_validation.json; do
    sed "$to_library" "$share/$from" >"$work/tree/vulkan/$(basename "$from")"
  done
  ln -s ../usr/include/vulkan ../usr/include/vk_video ../usr/include/toml++ "$include/"
}

echo "sdk: making $sdk from Debian 13 packages"
configure_apt
for attempt in 1 2 3; do
  if download; then break; fi
  if [ "$attempt" = 3 ]; then echo "sdk: could not fetch packages from $mirror" >&2; exit 1; fi
  echo "sdk: fetching failed; trying again in $((attempt * 10)) s" >&2
  sleep $((attempt * 10))
done
mkdir "$work/tree"
unpack
write_tools
write_manifests
"$work/tree/bin/glslangValidator" --version >/dev/null
"$work/tree/bin/spirv-val" --version >/dev/null
echo "$recipe" >"$work/tree/stamp"

rm -rf "$sdk.old"
if [ -e "$sdk" ]; then mv "$sdk" "$sdk.old"; fi
mv "$work/tree" "$sdk"
rm -rf "$sdk.old"
