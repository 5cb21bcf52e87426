#!/usr/bin/env bash
# Packs the program with every library it needs, to run on another machine: one with
# glibc 2.36 or later and a Vulkan loader (libvulkan.so.1), and nothing of ours.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/bundle.sh [--tests] [--bench] [BUNDLE.tar.gz]

  --tests  with the test programs too
  --bench  with the benchmarks too, and scripts/bench_h200.sh and bench_verify.sh
The CPU executor has kernels for x86-64-v2, v3 (AVX2, FMA) and v4 (AVX-512) and takes the processor's; the environment
variable PLUMB_CPU_LEVEL (v2, v3, v4) names others. The file is build/plumbline-VERSION-x86_64.tar.gz unless named.
Unpack it, run bin/plumb.
USAGE
}
targets=(plumb)
output=
for argument in "$@"; do
  case $argument in
    -h | --help) usage; exit 0 ;;
    --tests) targets+=(all_tests) ;;
    --bench) targets+=(plumb_bench plumb_gpu_bench) ;;
    -*) echo "bundle: unknown argument '$argument'" >&2; usage >&2; exit 2 ;;
    *) output=$(realpath -m "$argument") ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
scripts/build.sh bundle --target "${targets[@]}"
# No instruction may be where a processor without it would come by, and all levels have to give what they should.
ctest --test-dir build/bundle --output-on-failure --no-tests=error -R '^levels\.'
version=$(sed -n 's/^project(plumbline VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=plumbline-$version-x86_64
output=${output:-$root/build/$name.tar.gz}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bundle=$work/$name
mkdir -p "$bundle"/{bin,lib,lib/fallback,libexec}

# glibc must match the machine's kernel and its other libraries; the Vulkan loader knows
# where its drivers are; both are the machine's. So is libstdc++ where there is one, for
# a driver may need a newer one than ours.
is_the_machines() { [[ $1 =~ ^(ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libvulkan)[.-] ]]; }
is_fallback() { [[ $1 =~ ^lib(stdc\+\+|gcc_s)\. ]]; }

libraries_of() { ldd "$1" | sed -n 's/^[[:space:]]*\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p'; }

for program in build/bundle/bin/*; do
  file=$(basename "$program")
  case $file in
    plumb) ;;
    plumb_bench | plumb_gpu_bench) [[ " ${targets[*]} " == *" $file "* ]] || continue ;;
    *_tests) [[ " ${targets[*]} " == *" all_tests "* ]] || continue ;;
    *) continue ;;
  esac
  install -s "$program" "$bundle/libexec/$file"
  ln -s plumbline-run "$bundle/bin/$file"
  if libraries=$(ldd "$program") && [[ $libraries == *"not found"* ]]; then
    echo "bundle: $file misses libraries: $libraries" >&2
    exit 1
  fi
  while read -r soname path; do
    if is_the_machines "$soname"; then continue; fi
    folder=$bundle/lib
    if is_fallback "$soname"; then folder=$bundle/lib/fallback; fi
    [ -e "$folder/$soname" ] || install -m 644 "$(realpath "$path")" "$folder/$soname"
  done < <(libraries_of "$program")
done

cat >"$bundle/bin/plumbline-run" <<'RUN'
#!/bin/sh
# Runs the program of libexec/ that has the name this was called by. Its run path finds
# lib/; lib/fallback (libstdc++) is only for a machine that has none.
here=$(dirname "$(readlink -f "$0")")
program=$here/../libexec/$(basename "$0")
[ -x "$program" ] || program=$here/../libexec/plumb  # a link of another name
export PLUMB_SOURCE_DIR="${PLUMB_SOURCE_DIR:-$here/..}"  # where tests look for fixtures/
if LD_TRACE_LOADED_OBJECTS=1 "$program" 2>/dev/null | grep -q 'lib\(stdc++\|gcc_s\).*not found'; then
  export LD_LIBRARY_PATH="$here/../lib/fallback${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
exec "$program" "$@"
RUN
chmod 755 "$bundle/bin/plumbline-run"
cp -r fixtures LICENSE docs/licences.md "$bundle/"
if compgen -G "$bundle/lib/libfftw3*" >/dev/null; then  # licences.md: then it is under the GPL
  cp -L /usr/share/doc/libfftw3-dev/copyright "$bundle/lib/COPYRIGHT.fftw"
  cp -L /usr/share/common-licenses/GPL-2 "$bundle/lib/COPYING.fftw"
fi
if [ -e "$bundle/bin/plumb_bench" ]; then
  mkdir "$bundle"/{bench,scripts}
  cp -r bench/ops bench/peers "$bundle/bench/"
  cp scripts/bench_h200.sh scripts/bench_verify.sh "$bundle/scripts/"
fi
if [ -e README.md ]; then cp README.md "$bundle/"; fi

# Newer symbols than the promised glibc has would only be noticed on the other machine.
newest=$(objdump -T "$bundle"/libexec/* "$bundle"/lib/*.so* "$bundle"/lib/fallback/* 2>/dev/null |
  grep -o 'GLIBC_[0-9.]*' | sort -u -V | tail -n 1)
echo "bundle: needs ${newest/_/ }"

mkdir -p "$(dirname "$output")"
tar -C "$work" -czf "$output.part" "$name"
mv "$output.part" "$output"
echo "bundle: $output ($(du -h "$output" | cut -f1)): tar xzf it anywhere and run $name/bin/plumb"
