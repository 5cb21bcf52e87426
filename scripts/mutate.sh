#!/usr/bin/env bash
# shellcheck disable=SC2034  # tests/mutate/beside.sh reads what seems unused
# Changes one place of the sources at a time, builds plumb, and says which node of the fixtures noticed.
set -euo pipefail
exec </dev/null
export LC_ALL=C

usage() {
  cat <<USAGE
usage: scripts/mutate.sh [--only PATTERN] [--every N] [--tree FOLDER] [--jobs N] [--seconds N]
                         [--minutes N] [--brief] [--again]
       scripts/mutate.sh --list | --check [FOLDER] | --table [--only PATTERN]

Tries every mutation of tests/mutations that was not tried before, or with --again all. FAMILY.txt has, of each,

  @ NAME                     the file's lines "run ARGUMENTS" are what plumb verify is given, each on every device;
  in PATH                    a .cpp, .comp or .glsl; lines "run" of a mutation are in place of the file's
  - the text as it stands    exactly once in the file
  + what takes its place
  by OP...                   ops of which a node has to notice (*: any), or in place of that
  same WHY                   nothing changes that anyone could notice
  within WHY                 results change by less than their contract allows
  unseen WHY                 software devices cannot show it

  --list            print the names
  --check [FOLDER]  only look whether each text is there exactly once; nothing is built
  --table           print what was found, as Markdown
  --only PATTERN    those whose FAMILY/NAME has the extended regular expression
  --every N         the first of every N, so that a short run has some of every family
  --tree FOLDER     change this checkout, and put it back, instead of a copy of this one in build/mutants/tree
  --jobs N          of the build (2)
  --seconds N       how long one run of verify may take (600)
  --minutes N       try no further one after that time
  --brief           run nothing but the fixtures of the ops that have to notice; what they miss is tried again without

MUTATE_CMAKE has further arguments of cmake. What was found is kept in build/mutants/found, a line for each.
USAGE
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$root/tests/mutations work=$root/build/mutants tree='' only=. every=1 seconds=600 until=1000000 jobs=2 brief=''
again='' what=try
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --list) what=list ;;
    --check)
      what=check
      if [ $# -gt 1 ]; then folder=$2; shift; fi
      ;;
    --table) what=table ;;
    --only) only=$2; shift ;;
    --every) every=$2; shift ;;
    --tree) tree=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --minutes) until=$((60 * $2)); shift ;;
    --brief) brief=1 ;;
    --again) again=1 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
found=$work/found
# shellcheck source=tests/mutate/beside.sh disable=SC1091
source "$root/tests/mutate/beside.sh"
# shellcheck source=tests/mutate/outcome.sh disable=SC1091
source "$root/tests/mutate/outcome.sh"

# Records of all mutations, fields apart by the unit separator, lines "run" by the record separator.
records() {
  awk -v FS='\n' '
    function put() {
      if (name == "") return
      print family "/" name "\037" path "\037" old "\037" new "\037" by "\037" (own == "" ? runs : own)
      name = path = old = new = by = own = ""
    }
    FNR == 1 { put(); runs = ""; family = FILENAME; sub(/.*\//, "", family); sub(/\.txt$/, "", family) }
    /^@ / { put(); name = substr($0, 3) }
    /^in / { path = substr($0, 4) }
    /^- / { old = substr($0, 3) }
    /^\+ / { new = substr($0, 3) }
    /^(by|same|within|unseen) / { by = $0 }
    /^run / { if (name == "") runs = runs substr($0, 5) "\036"; else own = own substr($0, 5) "\036" }
    END { put() }' "$folder"/*.txt
}

# What is wrong with each record that is read, a line "NAME: WHY" for each that cannot be tried. With summary=1 also how
# many they are, and it fails when there are any, or no records.
flaws() {
  awk -v FS='\037' -v root="$root/" '
    function text_of(path, line, text, status) {
      text = ""
      while ((status = (getline line <(root path))) > 0) text = text line "\n"
      close(root path)
      return status < 0 ? "" : text
    }
    function flaw(at) {
      for (field = 2; field <= 6; ++field) if ($field == "") return "a line is missing"
      if ($3 == $4) return "nothing changes"
      if (!($2 in texts)) texts[$2] = text_of($2)
      if (texts[$2] == "") return "there is no " $2
      at = index(texts[$2], $3)
      if (at == 0) return $2 " does not have \047" $3 "\047"
      if (index(substr(texts[$2], at + length($3)), $3) > 0) return $2 " has \047" $3 "\047 more than once"
      return ""
    }
    { found = flaw() }
    found != "" { print $1 ": " found; ++bad }
    END {
      if (summary) print NR " mutations, " bad + 0 " of them that cannot be tried"
      exit summary && (NR == 0 || bad > 0)
    }' "$@"
}

check() { records | flaws summary=1; }

# A mutation that is still in the tree is taken out, and its file is as old again as what was built of it.
restore() {
  if [ ! -f "$work/changed" ]; then return; fi
  cp -p "$work/saved" "$tree/$(<"$work/changed")"
  rm "$work/changed"
}

apply() {
  local path=$1 old=$2 new=$3 text
  cp -p "$tree/$path" "$work/saved"
  echo "$path" >"$work/changed"
  text=$(<"$tree/$path")
  printf '%s%s%s\n' "${text%%"$old"*}" "$new" "${text#*"$old"}" >"$tree/$path"
}

prepare() {
  mkdir -p "$work"
  touch "$found"
  if [ -z "$tree" ]; then
    tree=$work/tree
    mkdir -p "$tree/build"
    restore
    git -C "$root" ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
      if cmp -s "$root/$file" "$tree/$file"; then continue; fi
      mkdir -p "$(dirname "$tree/$file")"
      cp "$root/$file" "$tree/$file"
    done
    if [ -d "$root/build/sdk" ] && [ ! -e "$tree/build/sdk" ]; then ln -s "$root/build/sdk" "$tree/build/sdk"; fi
  fi
  restore
  trap restore EXIT
  trap 'exit 130' INT TERM
  shopt -s nullglob
  build=$tree/build/release
  shaders=$build/generated/gpu_vulkan/shaders
  # shellcheck disable=SC2086  # these are several arguments
  if ! { { [ -f "$build/build.ninja" ] || (cd "$tree" && cmake --preset release ${MUTATE_CMAKE:-}); } &&
    cmake --build "$build" --target plumb -j "$jobs"; } >"$work/build.log" 2>&1; then
    tail -n 20 "$work/build.log" >&2
    echo "mutate.sh: the unchanged tree does not build" >&2
    exit 2
  fi
  unchanged=$(cksum <"$build/bin/plumb" | tr ' ' _)
  mkdir -p "$work/unchanged_runs"
  launchers=("")
  if [ -x "$tree/build/sdk/bin/with-mesa" ]; then launchers+=("$tree/build/sdk/bin/with-mesa"); fi
}

# verify PLUMB LAUNCHER ARGUMENTS: shaders are small, the driver's optimisation is what would take the time.
verify() {
  # shellcheck disable=SC2086  # a launcher that is "" is none, and a run is several arguments
  (cd "$tree" && XDG_CACHE_HOME="$work/cache" GALLIVM_PERF=nopt timeout "$seconds" $2 "$1" verify $3) \
    >"$work/output" 2>&1
}

# Whether the unchanged program passes a run, as another notices nothing, and in $work/modules what it dispatches. Both
# are kept for as long as the program and the run's files are the same.
passes_unchanged() {
  local launcher=$1 run=$2 key status=0 word
  key=$(
    printf '%s ' "$unchanged" "$launcher" "$run"
    cd "$tree"
    for word in $run; do if [ -e "$word" ]; then ls -lR --time-style=+%s "$word"; fi; done
  )
  key=$work/unchanged_runs/$(cksum <<<"$key" | tr ' ' _)
  if [ ! -f "$key" ]; then
    verify "$build/bin/plumb" "$launcher" "-v $run" || status=$?
    sed -n 's/^ \+[0-9]\+ [ |] \([a-z0-9_]*\(\.[a-z0-9_]*\)\?\)(.*/\1/p' "$work/output" | sort -u >"$key.modules"
    if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
      echo "  left out, since the unchanged program ends with $status: ${launcher##*/} plumb verify $run" >&2
    fi
    # On a busy machine it may only have taken too long.
    if [ "$status" -eq 124 ]; then return 1; fi
    refusal >"$key.refusal"
    echo "$status" >"$key"
  fi
  cp "$key.modules" "$work/modules"
  cp "$key.refusal" "$work/refusal"
  [ "$(<"$key")" = 0 ]
}

# outcome PATH BY RUNS: prints what comes of a mutation that is in the tree. The fixtures of the ops that have to notice
# are first, and the first run that notices ends it.
outcome() {
  local path=$1 by=$2 runs=$3 run launcher status op result first='' met='unnoticed: no run has it'
  local objects=() stems='' runs_after=''
  mutant=$work/mutant
  rm -rf "$mutant"
  mkdir -p "$mutant/modules" "$mutant/shaders"
  rm -f "$work"/cache/*/selftest-*  # what an earlier try found of its kernels, which no node is named for again
  : >"$work/build.log"
  if [ -z "$brief" ]; then runs_after=$runs; fi
  if [ "${path##*.}" != cpp ]; then stems=$(stems_of "$path" | tr '\n' ' '); fi
  for op in $(ops_of "$by"); do
    if [ -d "$tree/fixtures/ops/$op" ]; then first="${first}fixtures/ops/$op"$'\036'; fi
  done
  while IFS= read -r -d $'\036' run; do
    for launcher in "${launchers[@]}"; do
      passes_unchanged "$launcher" "$run" || continue
      status=0
      # shellcheck disable=SC2046  # modules are words
      make_mutant "$path" $(<"$work/modules") || status=$?
      case $status in
        1) echo "does not build"; return ;;
        2) continue ;;
      esac
      met=unnoticed
      verify "$mutant/plumb" "$launcher" "--fail-fast $run" || status=$?
      result=$(what_came "$status" "$by")
      if [ -n "$result" ]; then echo "$result"; return; fi
    done
  done <<<"$first$runs_after"
  echo "$met"
}

try_all() {
  local name path old new by runs flaw key result number=0
  prepare
  while IFS=$'\037' read -r name path old new by runs; do
    [[ $name =~ $only ]] || continue
    number=$((number + 1))
    [ $((number % every)) -eq $((1 % every)) ] || continue
    key=$(printf '%s' "$path$old$new$by$runs" | cksum | tr ' ' _)
    if [ -z "$again" ] && grep -qE "^$name"$'\037'"($key${brief:+|0})"$'\037' "$found"; then continue; fi
    if [ -n "$brief" ] && [ "$(ops_of "$by")" = any ]; then continue; fi
    flaw=$(printf '%s\037' "$name" "$path" "$old" "$new" "$by" "$runs" | flaws)
    if [ -n "$flaw" ]; then echo "$flaw" >&2; exit 2; fi
    apply "$path" "$old" "$new"
    result=$(outcome "$path" "$by" "$runs")
    restore
    if [ -n "$brief" ] && [[ $result = unnoticed* ]]; then key=0 result="unnoticed: by fixtures of its ops alone"; fi
    grep -v "^$name"$'\037' "$found" >"$found.new" || true
    printf '%s\037%s\037%s\n' "$name" "$key" "$result" >>"$found.new"
    mv "$found.new" "$found"
    echo "$name: $result"
    if [ "$SECONDS" -ge "$until" ]; then echo "stopped after $SECONDS s"; return; fi
  done < <(records)
}

# A mutation of which it is said why nobody notices must not be noticed; each other one must, by an op that it names.
table() {
  records | awk -F '\037' -v only="$only" -v found="$found" '
    BEGIN {
      while ((getline line < found) > 0) { split(line, part, "\037"); result[part[1]] = part[3] }
      columns = split("mutations|noticed|elsewhere|same|within|unseen|missed|not run", column, "|")
    }
    $1 !~ only { next }
    {
      family = $1; sub(/\/.*/, "", family); name = $1; sub(/.*\//, "", name)
      if (!(family in known)) { known[family]; order[++families] = family }
      kind = ($1 in result) && result[$1] != "does not build" ? result[$1] : "not run"
      sub(/:.*/, "", kind)
      stated = $5; sub(/ .*/, "", stated)
      if (kind == "unnoticed") kind = stated == "by" ? "missed" : stated
      ++count[family, "mutations"]; ++count["**all**", "mutations"]; ++count[family, kind]; ++count["**all**", kind]
      rows[family] = rows[family] "| " name " | " $2 " | " ($1 in result ? result[$1] : "not run")
      rows[family] = rows[family] (stated == "by" ? "" : " (" $5 ")") " |\n"
    }
    END {
      order[++families] = "**all**"
      head = "| family |"; rule = "|---|"
      for (c = 1; c <= columns; ++c) { head = head " " column[c] " |"; rule = rule "---|" }
      print head "\n" rule
      for (i = 1; i <= families; ++i) {
        line = "| " order[i] " |"
        for (c = 1; c <= columns; ++c) line = line " " count[order[i], column[c]] + 0 " |"
        print line
      }
      for (i = 1; i < families; ++i)
        printf "\n## %s\n\n| mutation | in | outcome |\n|---|---|---|\n%s", order[i], rows[order[i]]
    }'
}

case $what in
  list) records | awk -F '\037' -v only="$only" '$1 ~ only { print $1 }' ;;
  check) check ;;
  table) table ;;
  try) try_all ;;
esac
