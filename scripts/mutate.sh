#!/usr/bin/env bash
# Changes one place of the sources at a time, builds plumb, and says which node of the fixtures noticed.
set -euo pipefail
exec </dev/null
export LC_ALL=C

usage() {
  cat <<USAGE
usage: scripts/mutate.sh [--only PATTERN] [--every N] [--tree FOLDER] [--jobs N] [--seconds N]
                         [--again]
       scripts/mutate.sh --list | --check [FOLDER] | --table [--only PATTERN]

Tries every mutation of tests/mutations that was not tried before, or with --again all. FAMILY.txt has, of each,

  @ NAME                     the file's lines "run ARGUMENTS" are what plumb verify is given, each on every device;
  in PATH                    those of a mutation are in place of them
  - the text as it stands    exactly once in the file
  + what takes its place
  by OP...                   ops of which a node has to notice (*: any), or in place of that
  same WHY                   nothing changes that anyone could notice
  unseen WHY                 software devices cannot show it

  --list            print the names
  --check [FOLDER]  only look whether each text is there exactly once; nothing is built
  --table           print what was found, as Markdown
  --only PATTERN    those whose FAMILY/NAME has the extended regular expression
  --every N         the first of every N, so that a short run has some of every family
  --tree FOLDER     change this checkout, and put it back, instead of a copy of this one in build/mutants/tree
  --jobs N          of the build (2)
  --seconds N       how long one run of verify may take (600)

MUTATE_CMAKE has further arguments of cmake. What was found is kept in build/mutants/found, a line for each.
USAGE
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$root/tests/mutations work=$root/build/mutants tree='' only=. every=1 seconds=600 jobs=2 again='' what=try
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
    --again) again=1 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
found=$work/found

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
    /^(by|same|unseen) / { by = $0 }
    /^run / { if (name == "") runs = runs substr($0, 5) "\036"; else own = own substr($0, 5) "\036" }
    END { put() }' "$folder"/*.txt
}

# What is wrong with a record, if anything.
flaw_of() {
  local path=$1 old=$2 new=$3 by=$4 runs=$5 text rest
  for field in "$path" "$old" "$new" "$by" "$runs"; do
    if [ -z "$field" ]; then echo "a line is missing"; return; fi
  done
  if [ "$old" = "$new" ]; then echo "nothing changes"; return; fi
  if [ ! -f "$root/$path" ]; then echo "there is no $path"; return; fi
  text=$(<"$root/$path")
  case $text in *"$old"*) ;; *) echo "$path does not have '$old'"; return ;; esac
  rest=${text#*"$old"}
  case $rest in *"$old"*) echo "$path has '$old' more than once" ;; esac
}

check() {
  local name path old new by runs flaw count=0 flaws=0
  while IFS=$'\037' read -r name path old new by runs; do
    count=$((count + 1))
    flaw=$(flaw_of "$path" "$old" "$new" "$by" "$runs")
    if [ -n "$flaw" ]; then echo "$name: $flaw"; flaws=$((flaws + 1)); fi
  done < <(records)
  echo "$count mutations, $flaws of them that cannot be tried"
  [ "$count" -gt 0 ] && [ "$flaws" -eq 0 ]
}

# A mutation that is still in the tree is taken out; its file has to look newer than what was built of it.
restore() {
  if [ ! -f "$work/changed" ]; then return; fi
  cp "$work/saved" "$tree/$(<"$work/changed")"
  rm "$work/changed"
}

apply() {
  local path=$1 old=$2 new=$3 text
  cp "$tree/$path" "$work/saved"
  echo "$path" >"$work/changed"
  text=$(<"$tree/$path")
  printf '%s%s%s\n' "${text%%"$old"*}" "$new" "${text#*"$old"}" >"$tree/$path"
}

build() {
  cmake --build "$tree/build/release" --target plumb -j "$jobs" >"$work/build.log" 2>&1
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
  # shellcheck disable=SC2086  # these are several arguments
  if ! { (cd "$tree" && cmake --preset release ${MUTATE_CMAKE:-} >"$work/build.log" 2>&1) && build; }; then
    tail -n 20 "$work/build.log" >&2
    echo "mutate.sh: the unchanged tree does not build" >&2
    exit 2
  fi
  cp "$tree/build/release/bin/plumb" "$work/unchanged"
  launchers=("")
  if [ -x "$tree/build/sdk/bin/with-mesa" ]; then launchers+=("$tree/build/sdk/bin/with-mesa"); fi
}

# verify PLUMB LAUNCHER ARGUMENTS: shaders are small, the driver's optimisation is what would take the time.
verify() {
  # shellcheck disable=SC2086  # a launcher that is "" is none, and a run is several arguments
  (cd "$tree" && XDG_CACHE_HOME="$work/cache" GALLIVM_PERF=nopt timeout "$seconds" $2 "$1" verify $3) \
    >"$work/output" 2>&1
}

# Whether the unchanged program passes a run: another one would notice nothing. Kept for the next time.
passes_unchanged() {
  local launcher=$1 run=$2 key status=0
  key=$(printf '%s %s' "$launcher" "$run" | cat - "$work/unchanged" | cksum | tr ' ' _)
  mkdir -p "$work/unchanged_runs"
  if [ ! -f "$work/unchanged_runs/$key" ]; then
    verify "$work/unchanged" "$launcher" "$run" || status=$?
    echo "$status" >"$work/unchanged_runs/$key"
    if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
      echo "  left out, since the unchanged program ends with $status: ${launcher##*/} plumb verify $run" >&2
    fi
    # On a busy machine it may only have taken too long.
    if [ "$status" -eq 124 ]; then
      rm "$work/unchanged_runs/$key"
      return 1
    fi
  fi
  [ "$(<"$work/unchanged_runs/$key")" = 0 ]
}

# The nodes that did not pass in the output, as "op 'label'".
nodes_noticing() {
  awk '$NF == "failed" || $NF == "nondeterministic" || $NF == "error" { if ($2 != "") print $2 " \047" $1 "\047" }' \
    "$work/output"
}

# outcome BY RUNS: prints what came of a mutation that is built. The fixtures of the ops that have to notice are first.
outcome() {
  local by=$1 runs=$2 run launcher status nodes op first=
  for op in ${by#by}; do
    if [ -d "$tree/fixtures/ops/$op" ]; then first="$first fixtures/ops/$op"; fi
  done
  if [ -n "$first" ]; then runs=$first$'\036'$runs; fi
  if cmp -s "$work/unchanged" "$tree/build/release/bin/plumb"; then
    echo "unnoticed: the program is the same"
    return
  fi
  while IFS= read -r -d $'\036' run; do
    for launcher in "${launchers[@]}"; do
      passes_unchanged "$launcher" "$run" || continue
      status=0
      verify "$tree/build/release/bin/plumb" "$launcher" "$run" || status=$?
      case $status in
        0 | 77) continue ;;
        1) ;;
        124) echo "noticed: it does not end"; return ;;
        *) echo "noticed: exit $status: $(tail -n 1 "$work/output" | cut -c 1-100 | tr '|' ' ')"; return ;;
      esac
      nodes=$(nodes_noticing)
      for op in ${by#by}; do
        if [ "$op" = '*' ] && [ -n "$nodes" ]; then echo "noticed: $(head -n 1 <<<"$nodes")"; return; fi
        if grep -q "^$op " <<<"$nodes"; then echo "noticed: $(grep -m 1 "^$op " <<<"$nodes")"; return; fi
      done
      echo "elsewhere: $(head -n 1 <<<"$nodes")"
      return
    done
  done <<<"$runs"
  echo unnoticed
}

try_all() {
  local name path old new by runs flaw key result number=0
  prepare
  while IFS=$'\037' read -r name path old new by runs; do
    [[ $name =~ $only ]] || continue
    number=$((number + 1))
    [ $((number % every)) -eq $((1 % every)) ] || continue
    key=$(printf '%s' "$path$old$new$by$runs" | cksum | tr ' ' _)
    if [ -z "$again" ] && grep -q "^$name"$'\037'"$key"$'\037' "$found"; then continue; fi
    flaw=$(flaw_of "$path" "$old" "$new" "$by" "$runs")
    if [ -n "$flaw" ]; then echo "$name: $flaw" >&2; exit 2; fi
    apply "$path" "$old" "$new"
    if build; then result=$(set -f; outcome "$by" "$runs"); else result="does not build"; fi
    restore
    grep -v "^$name"$'\037' "$found" >"$found.new" || true
    printf '%s\037%s\037%s\n' "$name" "$key" "$result" >>"$found.new"
    mv "$found.new" "$found"
    echo "$name: $result"
  done < <(records)
  build
}

# A mutation that is the same, or that no software device shows, must not be noticed; each other one must.
table() {
  records | awk -F '\037' -v only="$only" -v found="$found" '
    BEGIN { while ((getline line < found) > 0) { split(line, part, "\037"); result[part[1]] = part[3] } }
    $1 !~ only { next }
    {
      family = $1; sub(/\/.*/, "", family); name = $1; sub(/.*\//, "", name)
      if (!(family in all)) order[++families] = family
      kind = !($1 in result) ? "not run" : result[$1]
      sub(/:.*/, "", kind)
      expected = $5 ~ /^by / ? "noticed" : "unnoticed"
      if (kind == "elsewhere") kind = "noticed"
      ++all[family]
      if (kind == "not run" || kind == "does not build") ++left[family]
      else if (kind == "noticed") ++seen[family]
      else if (expected == "noticed") ++missed[family]
      if (kind == "unnoticed" && expected == "unnoticed") ++stated[family]
      rows[family] = rows[family] "| " name " | " $2 " | " ($1 in result ? result[$1] : "not run")
      if (expected == "unnoticed") rows[family] = rows[family] " (" $5 ")"
      rows[family] = rows[family] " |\n"
    }
    END {
      print "| family | mutations | noticed | unnoticed | unnoticed as stated | not run |\n|---|---|---|---|---|---|"
      for (i = 1; i <= families; ++i) {
        f = order[i]
        printf "| %s | %d | %d | %d | %d | %d |\n", f, all[f], seen[f], missed[f], stated[f], left[f]
        a += all[f]; s += seen[f]; m += missed[f]; t += stated[f]; l += left[f]
      }
      printf "| **all** | %d | %d | %d | %d | %d |\n", a, s, m, t, l
      for (i = 1; i <= families; ++i)
        printf "\n## %s\n\n| mutation | in | outcome |\n|---|---|---|\n%s", order[i], rows[order[i]]
    }'
}

case $what in
  list) records | awk -F '\037' -v only="$only" '$1 ~ only { print $1 }' ;;
  check) check ;;
  table) table ;;
  try) try_all ;;
esac
