#!/bin/sh
# usage: torture.sh ROUNDS SCRATCH_FOLDER SOURCE [LAUNCHER...] PLUMB
#
# Treats plumb badly and looks at what it ends with, what it says, and what is left in the folder. Everything that has
# an answer of its own is tried once. Then ROUNDS writers are killed at random moments, a fifth as many pairs write to
# one file, and a tenth as many disks of 4, 8, ... KiB (up to 400) are filled. 5 takes a minute, and 1000 half an hour.
# Nothing depends on how long a command takes: what has to be at work is waited for. Runs as root or not, without a
# terminal, beside other work. What this machine does not permit is skipped, and said. 77 where no device can be used.
# shellcheck disable=SC2016  # $P is the inner shell's
# shellcheck disable=SC2086  # $plumb is words: a launcher and a program
# shellcheck disable=SC3045  # dash and bash know ulimit -v
set -u
rounds_wanted=$1 scratch=$2 source=$3
shift 3
plumb=$*  # paths of a build: without spaces
patience=300
failures=0
exec </dev/null

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
mounted=
trap '[ -z "$mounted" ] || umount "$scratch/small"' EXIT
cp "$source/tests/commands/graphs/dense.json" m.json
cp "$source/tests/commands/graphs/scores.json" s.json

sanitized=
if grep -aqE '__(asan|tsan)_init' "$(set -- $plumb; eval echo "\${$#}")"; then sanitized=yes; fi

fail() {
  echo "FAILED: $*"
  sed 's/^/    /' out err
  failures=$((failures + 1))
}

skipped() { echo "skipped: $*"; }

# ends STATUS PATTERN WORDS...: the command ends so, and a line of what it says matches.
ends() {
  wanted=$1 pattern=$2
  shift 2
  # shellcheck disable=SC2086
  timeout -k 5 $patience "$@" >out 2>err
  judge_end $? "$wanted" "$pattern" "$*"
}

judge_end() {
  [ "$1" -eq "$2" ] || { fail "$4: ended with $1, wanted $2"; return; }
  [ "$(cat out err | wc -c)" -lt 200000 ] || fail "$4: says too much"
  [ -z "$3" ] || cat out err | grep -qE -- "$3" || { fail "$4: does not say $3"; return; }
  echo "ok: $2: $4"
}

# plumb STATUS PATTERN ARGUMENTS...
plumb() {
  wanted_of_plumb=$1 pattern_of_plumb=$2
  shift 2
  # shellcheck disable=SC2086
  ends "$wanted_of_plumb" "$pattern_of_plumb" $plumb "$@"
}

# shell STATUS PATTERN TEXT: a line for a shell, in which $P is plumb.
shell() {
  P=$plumb
  export P
  ends "$1" "$2" sh -c "$3"
}

same() { cmp -s "$1" "$2" || fail "$1 is not what it was ($2)"; }
there_is_no() { if [ -e "$1" ]; then fail "$1 was left"; fi; }

wait_for() {
  waited=0
  while ! eval "$1"; do
    sleep 0.1
    waited=$((waited + 1))
    [ $waited -lt $((patience * 10)) ] || { fail "waited in vain for: $1"; return 1; }
  done
}

# shellcheck source=tests/torture/rounds.sh
. "$source/tests/torture/rounds.sh"

# --- Can anything be verified here at all?
# shellcheck disable=SC2086
$plumb verify m.json -o good.h5 >out 2>err
status=$?
if [ $status -eq 77 ]; then cat err; exit 77; fi
[ $status -eq 0 ] || { fail "verify ended with $status"; exit 1; }
cp good.h5 kept.h5
cp m.json kept.json

# --- What is written to
for device in /dev/null /dev/stdout /dev/stderr /dev/fd/1 -; do
  before=$(stat -c '%F %T %t' "$device" 2>/dev/null)
  plumb 0 . verify m.json --json "$device"
  [ "$(stat -c '%F %T %t' "$device" 2>/dev/null)" = "$before" ] || fail "$device was replaced"
done
mkfifo pipe
cat pipe >from_pipe &
reader=$!
plumb 0 . verify m.json --json pipe
wait $reader
grep -q '"verdict"' from_pipe || fail "the pipe had no report"
[ -p pipe ] || fail "the pipe was replaced"
plumb 2 'HDF5 needs a regular file, and this is a pipe' verify m.json -o pipe
plumb 2 'HDF5 needs a regular file, and this is a device' verify m.json -o /dev/null
plumb 2 'HDF5 needs a regular file, and this is stdout' verify m.json -o -
plumb 2 'is not the name of a file' verify m.json -o ''
plumb 2 'HDF5 is not written under a name that ends in .npz' verify m.json -o r.npz
plumb 2 '/dev/full: cannot be written: No space left' verify m.json --json /dev/full
mkdir folder
plumb 2 'folder: is a folder' verify m.json --json folder
plumb 2 'cannot be written: No such file' verify m.json --json no/where.json
ln -s circle.h5 circle.h5
plumb 2 'Too many levels of symbolic links' verify m.json -o circle.h5
echo '{}' >behind.json
chmod 600 behind.json
ln -s behind.json link.json
plumb 0 . verify m.json --json link.json
[ -L link.json ] || fail "the link was replaced"
[ "$(stat -c %a behind.json)" = 600 ] || fail "the mode of behind.json changed"

# --- What is not written over
plumb 2 'm.json: is an input of this command' verify m.json --json m.json --force
plumb 2 'm.json: is an input of this command' verify m.json --json ./folder/../m.json --force
plumb 2 'm.json: is an input of this command' convert m.json m.json --force
plumb 2 's.json: holds a graph and is not replaced' verify m.json --json s.json
plumb 2 'good.h5: is a results file and is not replaced' dump m.json --from cpu -o good.h5
plumb 0 . convert "$source/tests/torture/weights.json" weights.json --weights weights.h5
plumb 2 'good.h5: is a results file and is not replaced' convert "$source/tests/torture/weights.json" c.json \
  --weights good.h5
plumb 2 'weights.h5: is an input of this command' verify weights.json -o weights.h5 --force
plumb 2 'weights.h5: is an input of this command' run weights.json --on cpu -o weights.h5 --force
cp m.json plan.toml
plumb 2 'plan.toml: holds a graph and is not replaced by text' sweep s.json --plan plan.toml
plumb 2 'ends in .json' probe --on cpu -o m.json
echo 'my thesis' >text.h5
plumb 2 'exists and is not replaced, as it is no results file' verify m.json -o text.h5 --json behind.json
plumb 2 '' verify m.json -o both --json both
there_is_no both
plumb 2 'names that end in .part are of files that are being written' verify m.json -o both.h5 --json both.h5.part
there_is_no both.h5
same m.json kept.json
same good.h5 kept.h5

# --- Where text goes that cannot be written
for command in 'verify m.json' 'inspect good.h5' 'judge good.h5' 'ops' 'ops --json' 'power --list' options; do
  shell 2 'could be written to stdout' "\$P $command >/dev/full"
done
shell 0 . '$P verify m.json -o closed.h5 >&-'
plumb 0 '^1 run: 1 passed' judge closed.h5
shell 0 '' '$P verify m.json -o closed.h5 <&- >&- 2>&-'
plumb 0 '^1 run: 1 passed' judge closed.h5

# --- Words that are misspelt
plumb 2 "no command 'verfy'; did you mean verify" verfy m.json
plumb 2 "no command 'hlep'; did you mean help" hlep
plumb 2 'no Vulkan device is called .nosuch' verify m.json --device nosuch
plumb 2 'no Vulkan device is called .99' run m.json --device 99
shell 2 'no Vulkan device is called .nosuch' 'PLUMB_DEVICE=nosuch $P verify m.json'
shell 2 'PLUMB_DEVCE; did you mean PLUMB_DEVICE' 'PLUMB_DEVCE=0 $P verify m.json'
plumb 2 "no node matches --filter 'zzz'" verify m.json --filter zzz
plumb 2 "no fault matches --faults 'scald'; did you mean scaled" power m.json --on cpu --faults scald
plumb 2 "no fault matches --faults 'nosuch'" power m.json --plan --faults nosuch
plumb 2 "no node matches --filter 'zzz'" power m.json --on cpu --filter zzz
plumb 2 "no node matches --nodes 'zzz'" dump m.json --from cpu --nodes zzz
for words in 'verify m.json --filter' 'power m.json --on cpu --filter' 'dump m.json --from cpu --nodes'; do
  plumb 2 'is not a regular expression' $words '('
done
shell 2 "no node matches --filter" '$P verify m.json --filter "(p*)*(p*)*(p*)*z"'
for words in 'verify m.json --policy' 'verify m.json --device' 'verify m.json --filter' 'verify m.json --load-inputs' \
  'verify m.json --profile' 'judge good.h5 --policy' 'power m.json --faults' verify; do
  plumb 2 'is given, but empty' $words ''
done
plumb 2 'wanted a finite number, found nan' verify m.json --min-verified nan,0
plumb 2 'wanted a finite number, found inf' verify m.json --rtol inf
plumb 2 'wanted a number from 0' power m.json --on cpu --seed -1
plumb 2 'wanted a number from 0' verify m.json --blame -1
plumb 2 'wanted a number from 0' verify m.json --seed -1
plumb 2 'wanted a number from 0' verify m.json --seed 99999999999999999999
plumb 2 '' verify m.json --threads -1
plumb 2 "option tile must be rows x columns x depth, such as 64x64x16, got 'banana'" verify m.json --set tile=banana
plumb 2 "option tile must be" verify m.json --set tile=99999999999x1x1
shell 2 "option tile must be" 'PLUMB_TILE=-1x0x0 $P verify m.json'
for variable in $(grep -rhoE '\$\{?PLUMB_[A-Z_]+' "$source/scripts" | tr -d '${' | sort -u); do
  shell 0 . "$variable=\${$variable:-1} \$P ops"
done

# --- Nothing that was not verified is green
plumb 0 . verify m.json --strict --require-verified --min-verified 0,0
shell 77 . 'VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null $P verify m.json --strict'
shell 4 . 'VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null $P verify m.json --require-verified'
plumb 4 . verify m.json s.json --filter "^$(sed -n 's/.*"label": *"\([^"]*\)".*/\1/p' m.json | head -n 1)\$" \
  --require-verified

# --- Links and pipes in place of files
mkdir links
cp m.json links/a.json
ln -s l.json links/l.json
ln -s . links/self
plumb 2 'l.json: cannot be opened: Too many levels' verify links
plumb 2 'is not a regular file' judge pipe
mkfifo pipe.h5
plumb 2 'is not a regular file' inspect pipe.h5
plumb 2 'is not a regular file' verify pipe
plumb 2 'is a folder' judge folder

# Strangers' HDF5: rows that nobody wrote, and a packed tensor of another size than the graph's.
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
  $plumb verify s.json -o many.h5 >out 2>err || fail "nothing to damage"
  cp many.h5 parts.h5
  cp many.h5 called.h5
  /usr/bin/python3 - <<END
import h5py, numpy
with h5py.File('many.h5', 'a') as f: f['names'].resize((10**9,))
with h5py.File('parts.h5', 'a') as f:
    rows = f['results/nodes'][:]
    rows['run'][0] = 1000
    f['results/nodes'][:] = rows
with h5py.File('called.h5', 'a') as f:
    rows = f['runs'][:]
    rows['run'][0] = 7
    f['runs'][:] = rows
with h5py.File('packed.h5', 'w') as f:
    f.create_dataset('x', (16384, 32768), 'f4', chunks=(512, 32768), compression='gzip', fillvalue=0)
    f['x'][:512] = numpy.zeros((512, 32768), 'f4')
END
  for command in judge inspect 'fit -o p.toml'; do
    plumb 2 'many\.h5: /names: claims [0-9]+ bytes of rows' $command many.h5
    plumb 2 'parts\.h5: /results/nodes\[0\] is of run 1000' $command parts.h5
    plumb 2 'called\.h5: /runs\[0\] is called 7' $command called.h5
  done
  plumb 2 "x' is f32\[8, 64\], but what is given for it f32\[16384, 32768\]" run s.json --on cpu --load-inputs packed.h5
  echo 'no HDF5' >text.h5
  plumb 2 'text\.h5: is no HDF5 file' judge text.h5
else
  skipped "strangers' HDF5: no h5py"
fi

# A graph's tensors come from its own folder, through links as well.
mkdir inside outside
$plumb run s.json --on cpu -o outside/x.npz >out 2>err || fail "no tensors to link to"
name=$(sed -n 's/.*"results": *\["\([^"]*\)".*/\1/p' s.json | head -n 1)
type=$($plumb inspect outside/x.npz 2>&1 | grep -oE '[a-z0-9]+\[[0-9, ]*\]' | head -n 1)
for file in w.npz d/x.npz; do
  cat >"inside/$(basename "$file" .npz).json" <<END
{"format": "plumb.graph/1", "why": "its tensor lies elsewhere",
 "inputs": {"x": {"type": "$type", "file": "$file", "key": "$name"}},
 "nodes": [{"label": "y", "op": "unary", "function": "abs", "inputs": ["x"]}], "results": ["y"]}
END
done
cp outside/x.npz inside/w.npz
plumb 0 . run inside/w.json --on cpu
rm inside/w.npz
ln -s ../outside/x.npz inside/w.npz
ln -s ../outside inside/d
plumb 2 "'w.npz' leads out of the folder" run inside/w.json --on cpu
plumb 2 "'d/x.npz' leads out of the folder" run inside/x.json --on cpu
cp outside/x.npz inside/y.npz
ln -sf y.npz inside/w.npz
plumb 0 . run inside/w.json --on cpu

# --- Two writers, and signals
# shellcheck disable=SC2086
$plumb verify m.json --seeds 1000000 -q -o two.h5 >/dev/null 2>first &
writer=$!
cp good.h5 two.h5
if wait_for '[ -e two.h5.part ]'; then
  plumb 2 'two.h5: is being written by another process' verify m.json -o two.h5
  same two.h5 kept.h5
fi
kill -TERM $writer
wait $writer
status=$?
[ $status -eq 143 ] || fail "SIGTERM: ended with $status"
grep -q '^plumb: told to end (SIGTERM); ' first || fail "SIGTERM: says $(cat first)"
same two.h5 kept.h5
shell 130 'plumb: interrupted; ' "timeout --preserve-status -s INT 5 \$P verify m.json --seeds 1000000 -q -o int.h5"
if [ -e int.h5.part ]; then
  # One line a run or more, and as many runs as the machine is fast: only the ends are looked at.
  shell 4 '^cut off: [0-9]+ of 1000000 cases; exit code 4$' '$P judge int.h5.part >judged'
  shell 0 '^[0-9]+ runs: [0-9]+ passed' 'tail -n 3 judged'
  shell 0 '[0-9]+ passed$' '$P inspect int.h5.part >inspected && head -n 5 inspected'
fi
there_is_no int.h5
plumb 0 . verify m.json -o int.h5
there_is_no int.h5.part

# --- Limits of the system
shell 2 'File too large' 'ulimit -f 8; $P verify m.json -o large.h5'
there_is_no large.h5
cp good.h5 large.h5
shell 2 'File too large' 'ulimit -f 8; $P verify m.json -o large.h5'
same large.h5 kept.h5
if [ -n "$sanitized" ]; then
  skipped "limits of memory: a sanitized program reserves more than any such limit"
else
  # The driver of Debian 13 frees twice in vkCreateDevice, or its LLVM throws where nobody catches.
  crashes=$($plumb devices | grep -c 'LLVM 19')
  for kib in 200000 500000 2000000; do
    for words in "verify m.json" "power m.json --on cpu --faults scaled --min-power 0"; do
      (ulimit -v $kib; timeout -k 5 $patience $plumb $words >out 2>err)
      status=$?
      case $status in
        0 | 2 | 3 | 77) echo "ok: $status with $kib KiB of memory: $words" ;;
        *)
          if [ "$crashes" -gt 0 ] && [ "${words%% *}" = verify ] && [ $status -ge 134 ]; then
            skipped "verify with $kib KiB of memory, with which LLVM 19 and its driver crash"
          else
            fail "ended with $status, given $kib KiB of memory: $words"
          fi
          ;;
      esac
    done
  done
fi
mkdir small
if mount -t tmpfs -o size=24k tmpfs small 2>/dev/null; then
  mounted=yes
  # A close of HDF5 that fails loses a buffer of 16 KiB, of its own: no leak is looked for while the disk is full.
  sanitizer=${ASAN_OPTIONS-}
  export ASAN_OPTIONS="$sanitizer:detect_leaks=0"
  plumb 2 'No space left on device' verify m.json -o small/r.h5
  plumb 2 'No space left on device' verify s.json m.json --json small/r.json -o small/r.h5
  there_is_no small/r.h5
  umount small
  fill_disks $((rounds_wanted / 10))
  mount -t tmpfs -o size=24k tmpfs small
  shell 2 'could be written to stdout' 'dd if=/dev/zero of=small/fill bs=1k count=24 2>/dev/null; $P ops >small/text'
  export ASAN_OPTIONS=$sanitizer
  umount small && mounted=
else
  skipped "a full disk: this machine lets nobody mount one"
fi

# --- Graphs that nobody means
deep=$(printf '%0100d' 0 | sed 's/0/[/g')
echo "$deep" >deep.json
plumb 2 'deep.json' verify deep.json
printf '{"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[4611686018427387904, 8]"}}}' >huge.json
plumb 2 'huge.json' verify huge.json
head -c 100000 /dev/zero >zeros.json
plumb 2 'zeros.json' verify zeros.json
head -c 300 good.h5 >cut.h5
plumb 2 'cut.h5' judge cut.h5
plumb 2 'm.json: is no HDF5 file, but holds a graph' judge m.json
plumb 0 . dump m.json --from cpu -o tensors.h5
plumb 2 'tensors.h5: is no results file' judge tensors.h5
cp good.h5 called.npz
plumb 2 'called.npz' inspect called.npz

# shellcheck source=tests/torture/held.sh
. "$source/tests/torture/held.sh"

# --- Environments
touch file
for cache in file no/where/at/all /dev/null folder; do
  shell 0 . "XDG_CACHE_HOME=\$PWD/$cache \$P verify m.json"
done
shell 0 . 'env -u HOME -u XDG_CACHE_HOME $P verify m.json'

# --- As often as was asked for
kill_writers "$rounds_wanted"
pair_writers $((rounds_wanted / 5))

[ "$failures" -eq 0 ] || { echo "$failures of these failed"; exit 1; }
echo "all as it should be"
