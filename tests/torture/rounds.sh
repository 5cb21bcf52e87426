# Sourced by torture.sh: what is tried many times, since it depends on the moment or on the size of a disk.
# shellcheck shell=sh
# shellcheck disable=SC2154  # $plumb, $patience, ... are torture.sh's
# shellcheck disable=SC2086  # $plumb is words: a launcher and a program

# random_below N: a whole number from 0 on, below N.
random_below() { echo $(($(od -An -N4 -tu4 /dev/urandom) % $1)); }
sleep_up_to_ms() { sleep "$(printf '0.%03d' "$(random_below "$1")")"; }

# judged STATUS FILE: whether judge reads it and ends so, with 4 for a part; $runs is then how many runs it holds, and
# $seed the first one's.
judged() {
  judge_wanted=$1
  shift
  timeout -k 5 $patience $plumb judge "$1" >out 2>err
  judge_status=$?
  runs=$(sed -n 's/^\([0-9]*\) runs\{0,1\}:.*/\1/p' out)
  seed=$(sed -n 's/^runs\{0,1\} 0[ :].*, seeds\{0,1\} \([0-9]*\)[ ,].*/\1/p' out)
  [ $judge_status -eq "$judge_wanted" ]
}

# A writer is killed at a random moment: the name has its earlier file, and what was said to be finished is in the part.
kill_one() {
  cp good.h5 killed.h5
  rm -f killed.h5.part
  $plumb verify m.json --seeds 1000000 -v -o killed.h5 >said 2>err &
  writer=$!
  sleep_up_to_ms 999
  kill -KILL $writer 2>/dev/null
  wait $writer 2>/dev/null
  same killed.h5 kept.h5
  finished=$(grep -c '^m.json: .* | seed ' said)
  most_finished=$((finished > most_finished ? finished : most_finished))
  [ -e killed.h5.part ] && parts=$((parts + 1))
  [ "$finished" -gt 0 ] || return
  judged 4 killed.h5.part || { fail "$finished cases were finished: judge ended with $judge_status"; return; }
  if [ "$runs" -lt "$finished" ] || [ "$runs" -gt $((finished + 1)) ]; then
    fail "$finished cases were finished, $runs are in the part"
  fi
}

kill_writers() {
  rounds=0 parts=0 most_finished=0
  while [ $rounds -lt "$1" ]; do
    kill_one
    rounds=$((rounds + 1))
  done
  rm -f killed.h5.part
  plumb 0 . verify m.json -o killed.h5
  echo "ok: $rounds writers killed, $parts of them with a part, at most $most_finished cases in one"
}

# Two processes with one output: whoever ends with 0 has its whole record there, and the other says why it has not.
pair_one() {
  cp good.h5 pair.h5
  $plumb verify m.json --seeds 20 -q -o pair.h5 >said1 2>err1 &
  writer=$!
  sleep_up_to_ms 400
  $plumb verify m.json --seeds 20 --seed 1000 -q -o pair.h5 >said2 2>err2
  second=$?
  wait $writer
  first=$?
  cat said1 err1 said2 err2 >both_said
  judged 0 pair.h5 || { fail "two writers ($first, $second): judge ended with $judge_status"; return; }
  case "$first $second $seed $runs" in
    '0 2 1 20' | '2 0 1000 20') refused=$((refused + 1)) ;;
    '0 0 1 20' | '0 0 1000 20') ;;
    *) fail "two writers ended with $first and $second: $runs runs from seed $seed on" ;;
  esac
  if [ $first -ne $second ]; then
    grep -q 'pair.h5: is being written by another process' both_said || fail "two writers: $(cat both_said)"
  fi
  there_is_no pair.h5.part
}

pair_writers() {
  rounds=0 refused=0
  while [ $rounds -lt "$1" ]; do
    pair_one
    rounds=$((rounds + 1))
  done
  echo "ok: $rounds pairs of writers, $refused times one was refused"
}

# filled KIB OUTPUT WORDS...: a disk with an earlier OUTPUT and room for KIB more; the command may lack room, and then
# says so, and the earlier file is whole. Sizes go up by a page, which is what this file system counts in.
filled() {
  kib=$1 output=$2
  shift 2
  mount -t tmpfs -o "size=$((kib + earlier_kib))k" tmpfs small || { fail "no disk of $kib KiB"; return; }
  cp earlier/* small/
  timeout -k 5 $patience $plumb "$@" >out 2>err
  status=$?
  if [ $status -eq 0 ]; then
    enough=$((enough + 1))
  else
    if [ $status -ne 2 ] || ! grep -q 'No space left on device' err; then fail "$kib KiB: ended with $status: $*"; fi
    same "small/$output" "earlier/$output"
    full=$((full + 1))
  fi
  # What was finished of a record stays, and can be read.
  case $output in
    r.h5)
      # Where its last step alone found no room it is all there.
      if [ -e small/r.h5.part ] && ! judged 4 small/r.h5.part && ! judged 0 small/r.h5.part; then
        fail "$kib KiB: judge ended with $judge_status"
      fi
      ;;
    *) there_is_no "small/$output.part" ;;
  esac
  umount small
}

# Disks of 4, 8, ... KiB, as many as are asked for, up to 400.
fill_disks() {
  mkdir -p earlier
  rm -f earlier/*
  cp good.h5 earlier/r.h5
  $plumb run s.json --on cpu -o earlier/t.npz >out 2>err || fail "no earlier tensors"
  $plumb run s.json --on cpu -o earlier/t.h5 >out 2>err || fail "no earlier tensors"
  $plumb verify m.json --json earlier/r.json --junit earlier/r.xml >out 2>err || fail "no earlier reports"
  earlier_kib=0 full=0 enough=0 disks=0
  for file in earlier/*; do earlier_kib=$((earlier_kib + ($(stat -c %s "$file") + 4095) / 4096 * 4)); done
  while [ $disks -lt "$1" ] && [ $disks -lt 100 ]; do
    disks=$((disks + 1))
    filled $((disks * 4)) r.h5 verify s.json --seeds 16 --tensors all -q -o small/r.h5
    filled $((disks * 4)) t.npz dump s.json --from cpu -o small/t.npz
    filled $((disks * 4)) t.h5 dump s.json --from cpu -o small/t.h5
    filled $((disks * 4)) r.json verify s.json --seeds 16 -q --json small/r.json
    filled $((disks * 4)) r.xml verify s.json --seeds 16 -q --junit small/r.xml
  done
  echo "ok: disks with 4 to $((disks * 4)) KiB left: $full times full, $enough times enough"
}
