# A sound installation is ok in every line, in some seconds; what is broken is in a line of its own, and in no other.
# Which lines failed, of the last plumb: "cache files".
failed_lines() { sed -n 's/^failed  *\([a-z-]*\) .*/\1/p' stdout | tr '\n' ' ' | sed 's/ $//'; }
only_fails() {
  [ "$(failed_lines)" = "$1" ] || fail "these lines fail: '$(failed_lines)', wanted '$1'"
}
XDG_CACHE_HOME=$PWD/cache TMPDIR=$PWD/temp
export XDG_CACHE_HOME TMPDIR
mkdir cache temp
plumb 0 selfcheck --quick --json all.json
only_fails ""
says '^ok +driver +.'
says '^ok +calibration +none was made'
says '^ok +oracles +[0-9]+ of [0-9]+ cases passed, .* elements by the definitions of the ops$'
says '^ok +ops +[1-9][0-9]* of '
says '^ok +faults +[0-9]+ of [0-9]+ faults of 12 families are refused$'
says '^ok +limit +just above a limit: 1, well below it: 0$'
says '^ok +numbers +a wrong sum: 1, a NaN: 1$'
says '^ok +lost-device +a lost device: 3$'
says '^ok +filter +a filter for no node: 2, nothing left to judge: 77$'
says '^ok +no-driver +no driver: 77, no driver where one is required: 4$'
says '^ok +host +.*: 4$'
says '^ok +device-faults +a wrong sum of the device: 1, bits of the device that change: 1$'
says '^22 checks: 20 ok, 0 failed, 2 skipped, '
holds all.json '"schema": "plumb.selfcheck/1"'
holds all.json '"exit": 0'
[ "$(grep -c '"status": "ok"' all.json)" = 20 ] || fail 'all.json has not 20 lines that are ok'
[ -z "$(ls temp)" ] || fail "files are left in TMPDIR: $(ls temp)"

# On a device: a calibration that is damaged, a policy that lets everything pass, and --plant that was left on.
cat >lax.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "all"
match = {}
require = { max_abs = 1e30 }
END
echo damaged >calibration
plumb 1 selfcheck --quick --set "calibration=$PWD/calibration" --policy lax.toml --plant scaled@weights
only_fails "calibration policy clean"
says '^failed +calibration +.*/calibration:1: wanted'
says '^failed +policy +lax\.toml passes what is plainly wrong: .* are refused, none of values, layout, memory$'
says '^failed +clean +right on the host: 1, wanted 0, right on the device: 1, wanted 0$'

# Without a driver what needs a device is skipped. A cache and a temp folder that cannot be written are failures, and
# what needs files is skipped.
(
  VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null TMPDIR=$PWD/nowhere
  export VK_DRIVER_FILES VK_ICD_FILENAMES
  plumb 1 selfcheck --quick --set pipeline_cache=/dev/null/cache
  only_fails "driver cache files"
  says '^failed +driver +no driver: '
  for line in calibration ops device-faults; do
    says "^skipped +$line +there is no device$"
  done
  says '^skipped +clean +it needs a folder'
) || exit

# A gate that passes whatever comes is found: a script stands for the program that judges.
mkdir -p fake/bin
ln "${launched##* }" fake/bin/checker 2>/dev/null || cp "${launched##* }" fake/bin/checker
printf '#!/bin/sh\nexit 0\n' >fake/bin/plumb
chmod +x fake/bin/plumb
(
  VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null
  export VK_DRIVER_FILES VK_ICD_FILENAMES
  launched=$PWD/fake/bin/checker
  plumb 1 selfcheck --quick
  only_fails "driver installation limit numbers lost-device filter empty-graph no-driver"
  says '^failed +numbers +a wrong sum: 0, wanted 1, a NaN: 0, wanted 1$'
) || exit

# What makes no sense is refused before anything is checked.
plumb 2 selfcheck --quick --full
warns '^plumb: --quick and --full exclude each other$'
plumb 2 selfcheck --plant scalled@weights
warns "there is no fault 'scalled'; did you mean scaled"
plumb 2 selfcheck --plant scaled@scores
warns "--plant scaled@scores: no node's label matches"
plumb 2 selfcheck --policy none.toml
warns 'none\.toml'
