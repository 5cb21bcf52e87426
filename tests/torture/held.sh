# Sourced by torture.sh: what strangers may hand in, and where plumb may have to run. Each must end as it says, at once.
# shellcheck shell=sh
# shellcheck disable=SC2016  # $P is the inner shell's
# shellcheck disable=SC2086  # $plumb is words: a launcher and a program
# shellcheck disable=SC2154  # $plumb, $patience, ... are torture.sh's
# shellcheck disable=SC3045  # dash and bash know ulimit -n

# --- Files that nobody means well with: the code is 2, and one line says what is wrong.
mkdir bad
/usr/bin/python3 "$source/tests/torture/bad_files.py" bad >bad.txt || fail "bad_files.py"
printf '%s' '{"format": "plumb.graph/1", "why": "takes x", "inputs": {"x": {"type": "f32[2]"}},
 "nodes": [{"label": "y", "op": "unary", "function": "abs", "inputs": ["x"]}], "results": ["y"]}' >takes_x.json
tab=$(printf '\t')
while IFS="$tab" read -r name says; do
  case $name in
    *.onnx) plumb 2 "$says" inspect "bad/$name" ;;
    *.json) plumb 2 "$says" run "bad/$name" --on cpu ;;
    *.npy) plumb 2 "$says" inspect "bad/$name" ;;
    *) plumb 2 "$says" run takes_x.json --on cpu --load-inputs "bad/$name" ;;
  esac
  [ "$(wc -l <err)" -le 3 ] || fail "says $(wc -l <err) lines of bad/$name"
done <bad.txt
[ "$(wc -l <bad.txt)" -gt 30 ] || fail "only $(wc -l <bad.txt) bad files"

# --- Names of files: whatever a name holds, the report stays UTF-8 and the line that repeats a run is quoted.
for name in "a b.json" "it's.json" "$(printf 'new\nline.json')" "$(printf 'esc\033[31m.json')" \
  "$(printf 'byte\377.json')" "-leading.json" '$(touch touched).json'; do
  cp m.json "./$name"
  plumb 0 . verify --json report.json -- "$name"
  iconv -f utf-8 -t utf-8 report.json >/dev/null || fail "no UTF-8 in the report of $name"
  if grep -q "$(printf '\033')\\[31m" out err; then fail "ESC of a name reached the terminal"; fi
done
there_is_no touched

# --- Folders
mkdir many
i=0
while [ $i -lt 2000 ]; do : >many/$i.txt; i=$((i + 1)); done
cp m.json many/
ln -s . many/self
deep=many
i=0
while [ $i -lt 100 ]; do deep=$deep/d; i=$((i + 1)); done
mkdir -p "$deep"
cp m.json "$deep/"
plumb 0 '^2 cases' verify -q many

# --- Caches that are none: plumb runs without
mkdir cache cache/empty cache/garbage cache/garbage/plumbline cache/loop cache/pipes cache/read_only
$plumb verify m.json >out 2>err
for file in "${XDG_CACHE_HOME:-$HOME/.cache}"/plumbline/*; do
  [ -f "$file" ] || continue
  echo garbage >"cache/garbage/plumbline/$(basename "$file")"
  mkdir -p cache/pipes/plumbline
  mkfifo "cache/pipes/plumbline/$(basename "$file")"
done
ln -s plumbline cache/loop/plumbline
chmod 500 cache/read_only
for cache in empty garbage loop pipes read_only; do
  shell 0 . "XDG_CACHE_HOME=\$PWD/cache/$cache \$P verify m.json"
done
plumb 2 'is not a regular file' verify m.json --set calibration=pipe
mkdir cache/cold
i=0
while [ $i -lt 4 ]; do
  XDG_CACHE_HOME=$PWD/cache/cold $plumb verify m.json -q >cold$i 2>&1 &
  i=$((i + 1))
done
wait
i=0
while [ $i -lt 4 ]; do
  grep -q '1 passed' cold$i || fail "a cold start: $(cat cold$i)"
  i=$((i + 1))
done

# --- Few handles, few processes, many threads
for handles in 4 5 6 8 12 16 24 32; do
  (ulimit -n $handles; timeout -k 5 $patience $plumb verify m.json -q -o handles.h5 >out 2>err)
  status=$?
  case $status in
    0 | 2 | 77) echo "ok: $status with $handles handles" ;;
    *) fail "ended with $status, given $handles handles" ;;
  esac
  if [ $status -eq 0 ]; then plumb 0 '^1 run: 1 passed' judge handles.h5; fi
  rm -f handles.h5
done
plumb 2 'a whole number from 0 to 4096, found .100000' verify m.json --threads 100000
if [ -z "$sanitized" ]; then shell 0 . '(ulimit -v 10485760; $P verify m.json --threads 4096)'; fi
P=$plumb bash -c '$P ops | head -c 1; exit ${PIPESTATUS[0]}' >/dev/null 2>err
status=$?
case $status in 0 | 141) ;; *) fail "SIGPIPE: ended with $status" ;; esac
