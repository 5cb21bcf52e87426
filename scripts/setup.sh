#!/usr/bin/env bash
# Installs what building and testing plumbline needs, then makes the Vulkan SDK
# where the distribution is too old. Quick when there is nothing to do.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/setup.sh [--no-packages] [--no-sdk] [--no-vulkan]

Debian 12, 13 and Ubuntu 22.04, 24.04; as root or with sudo.
  --no-packages  leave the system's packages alone; only the SDK
  --no-sdk       only the system's packages
  --no-vulkan    what a build with -DPLUMB_VULKAN=OFF needs: no loader, driver, compiler of shaders or SDK
environment: PLUMB_SDK  where the SDK goes (default: build/sdk of this tree; "none": without)
USAGE
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
with_packages=yes with_sdk=yes with_vulkan=yes
for argument in "$@"; do
  case $argument in
    -h | --help) usage; exit 0 ;;
    --no-packages) with_packages=no ;;
    --no-sdk) with_sdk=no ;;
    --no-vulkan) with_sdk=no with_vulkan=no ;;
    *) echo "setup: unknown argument '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done

packages=(
  build-essential g++ clang lld ccache cmake ninja-build pkg-config git ca-certificates
  libeigen3-dev libfftw3-dev libtbb-dev libhdf5-dev hdf5-tools
  libonnx-dev libonnx-testdata protobuf-compiler libprotobuf-dev
  libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libxxhash-dev libmd-dev libre2-dev zlib1g-dev
  libpng-dev libboost-math-dev
  libgtest-dev libgmock-dev libbenchmark-dev python3-h5py python3-numpy python3-pytest python3-pytest-xdist
  mandoc openmpi-bin
)
if [ "$with_vulkan" = yes ]; then
  packages+=(libvulkan-dev vulkan-tools vulkan-validationlayers mesa-vulkan-drivers)
  packages+=(glslang-tools glslang-dev spirv-tools)
fi

adapt_to_distribution() {
  local release
  # shellcheck source=/dev/null
  release=$(source /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-}")
  case $release in
    "debian 12") packages+=(libclang-rt-dev libtcmalloc-minimal4) ;;  # clang's sanitizers; what tests allocate with
    "debian 13" | "ubuntu 24.04") packages+=(libclang-rt-dev libtcmalloc-minimal4t64) ;;
    "ubuntu 22.04")
      # g++ 11 is the default there, and toml++ is not packaged: the SDK brings it.
      packages+=(g++-12 libtcmalloc-minimal4)
      packages=("${packages[@]/libtomlplusplus-dev/}")
      ;;
    *) echo "setup: '$release' is not a distribution this was tried on; going on as on Debian" >&2 ;;
  esac
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [ -n "$package" ] || continue
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || echo "$package"
  done
}

install_packages() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "setup: needs root or sudo to install: ${missing[*]}" >&2
      exit 2
    fi
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get
    -o DPkg::Lock::Timeout=600 -o Acquire::Retries=5 -qq)
  "${apt[@]}" update
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
}

if [ "$with_packages" = yes ]; then
  command -v apt-get >/dev/null || { echo "setup: no apt-get here; install by hand: ${packages[*]}" >&2; exit 2; }
  adapt_to_distribution
  install_packages
fi
if [ "$with_sdk" = yes ] && [ "${PLUMB_SDK:-}" != none ]; then
  "$root/scripts/sdk.sh"
fi
echo "setup: ready"
