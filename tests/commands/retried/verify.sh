# Device faults are tried again, or in quarantine, and told from numbers that fail; --plant has them there on purpose.
mkdir -p models
cp "$graphs/scores.json" "$graphs/dense.json" models
rows() { # FILE COUNT: so many runs are recorded
  h5dump -H -d /runs "$1" | grep -qF "( $2 )" || fail "$1 has not $2 runs: $(h5dump -H -d /runs "$1" | grep SIMPLE)"
}

# The second attempt passes: two rows, a warning in every report, and 4 where that is asked for.
plumb 0 verify models --candidate cpu --plant lost=1@scores --retries 2 -o retried.h5 --junit retried.xml \
  --json retried.json --markdown retried.md --github
says 'models/scores\.json: tried again, attempt 2 of 3$'
says '^2 cases, .*: 2 passed'
says '^::warning title=retried%3A \(run\)::tried again after a device fault: models/scores\.json'
rows retried.h5 3
holds retried.xml '<flakyError type="device_fault" message="node .scores.: the device was lost, as --plant lost=1@'
if grep -q '<error\|<rerunError' retried.xml; then fail 'an attempt counts as an error'; fi
holds retried.json '"kind": "retried"'
holds retried.json 'planted=lost=1@scores'
holds retried.md 'tried again after a device fault'
plumb 0 inspect retried.h5 --check-schema
plumb 0 judge retried.h5 --junit judged.xml --json judged.json
cmp retried.xml judged.xml || fail 'judge writes another JUnit file'
plumb 4 judge retried.h5 --strict
warns 'tried again after a device fault: models/scores\.json'

# All attempts fail: each is a row, and the case an error. Other seeds are run all the same.
plumb 3 verify models/scores.json --candidate cpu --plant lost=9@scores --retries 2 -o lost.h5 --junit lost.xml
rows lost.h5 3
[ "$(grep -c '<rerunError type="device_fault"' lost.xml)" = 2 ] || fail 'lost.xml has not both attempts before the last'
holds lost.xml '<error type="device_fault"'
plumb 3 judge lost.h5 --junit judged.xml
cmp lost.xml judged.xml || fail 'judge writes another JUnit file'

# Numbers that fail are not tried again; a crash and a hang are faults.
plumb 1 verify models/scores.json --candidate cpu --plant scaled@scores --retries 3 -o numbers.h5
says_not 'tried again'
rows numbers.h5 1
plumb 2 fit numbers.h5 -o fitted.toml
warns 'numbers\.h5: run models/scores\.json .*planted=scaled@scores has a fault that is there on purpose'
plumb 1 verify models/scores.json --candidate cpu --plant nan@scores
says '^p .*failed|^scores .*failed'
plumb 3 verify models --candidate cpu --plant crash@scores --jobs 2 --share-device --seeds 2
says 'models/scores\.json: crashed its process, SIGSEGV'
says '^models/dense\.json: 2 seeds: 2 passed'
says '^4 cases, '
plumb 3 verify models/scores.json --candidate cpu --plant hang=30@scores --jobs 1 --case-timeout 1s
says 'took longer than --case-timeout 1s'

# Bits that change are found, and where that begins; a quarantine excuses it for a while.
flicker="verify models/scores.json --candidate cpu --plant flicker=0.5@scores --repeat 8"
# shellcheck disable=SC2086
plumb 1 $flicker
says 'scores .*nondeterministic'
says 'another run on the same inputs gave other bits from equal operands'
cat >policy.toml <<'END'
schema = "plumb-policy/1"

[[quarantine]]
id = "flicker"
owner = "kernels"
issue = "issue 12"
since = 2026-01-01
expires = 2026-03-01
match = { node = "sc*" }
kind = ["nondeterministic", "device_fault"]
END
# shellcheck disable=SC2086
plumb 0 $flicker --policy policy.toml --today 2026-03-01 -o quarantined.h5 --junit quarantined.xml
says 'scores .*quarantined'
holds quarantined.xml 'in quarantine until 2026-03-01: flicker \(policy\.toml:3\), issue 12, kernels'
plumb 0 judge quarantined.h5 --today 2026-03-01 --junit judged.xml
cmp quarantined.xml judged.xml || fail 'judge writes another JUnit file'
plumb 4 judge quarantined.h5 --today 2026-03-01 --strict
plumb 1 judge quarantined.h5 --today 2026-03-02
warns 'quarantine flicker ended on 2026-03-01, excuses nothing'
# shellcheck disable=SC2086
plumb 1 $flicker --policy policy.toml --today 2026-03-02
lost="verify models/scores.json --candidate cpu --plant lost@scores"
# shellcheck disable=SC2086
plumb 0 $lost --policy policy.toml --today 2026-02-01 -o quarantined.h5
plumb 0 judge quarantined.h5 --today 2026-02-01
plumb 3 judge quarantined.h5 --today 2026-03-02
# shellcheck disable=SC2086
plumb 3 $lost --policy policy.toml --today 2026-03-02
# Nobody computes with p: a node behind a fault that is planted in what a run gives, not in what nodes read, fails, too.
scaled="verify models/scores.json --candidate cpu --plant scaled@p --today 2026-02-01"
sed 's/^kind = .*/kind = "failed"\nratio_max = 1e12/; s/"sc\*"/"p"/' policy.toml >failed.toml
# shellcheck disable=SC2086
plumb 0 $scaled --policy failed.toml
sed -i 's/1e12/1.5/' failed.toml
# shellcheck disable=SC2086
plumb 1 $scaled --policy failed.toml

# Each of 50 runs is found, and where it begins: at the node that had equal operands, and at no other.
plumb 1 verify models/scores.json --candidate cpu --seeds 50 --repeat 40 --plant flicker=0.3@scores --json fifty.json -q
origins=$(grep -c '"why": "another run on the same inputs gave other bits from equal operands' fifty.json)
[ "$origins" = 50 ] || fail "$origins of 50 runs have their origin"
[ "$(grep -c '"verdict": "nondeterministic"' fifty.json)" = 100 ] || fail 'not each run and its one node is classed so'

# More incidents than max_rate allows in 200 runs are not excused any more.
mkdir history
echo 'max_rate = 0.01' >>policy.toml
for run in 1 2 3; do
  # shellcheck disable=SC2086
  plumb 0 $flicker --policy policy.toml --today 2026-02-01 --history history -o history/$run.h5
done
# shellcheck disable=SC2086
plumb 1 $flicker --policy policy.toml --today 2026-02-01 --history history
warns 'policy\.toml:3: quarantine flicker excuses nothing: 3 of the last 3 runs had an incident, more than its max_rate'
plumb 0 policy lint policy.toml --today 2026-02-01 --history history
sed 's/"sc\*"/"dense"/' policy.toml >idle.toml
plumb 1 policy lint idle.toml --today 2026-02-01 --history history
says '^idle\.toml:3: quarantine flicker: unused: it matches nothing in these runs$'
plumb 2 policy lint policy.toml --today 2026-02-01 --history nowhere
warns 'nowhere: No such file or directory'
plumb 2 verify models/scores.json --candidate cpu --history history
warns '--history requires --policy'

# Words that make no sense are refused.
plumb 1 policy lint policy.toml --today 2026-03-02
says '^policy\.toml:3: quarantine flicker: ended on 2026-03-01$'
plumb 1 policy lint policy.toml --today 2026-02-20
says '^policy\.toml:3: quarantine flicker: ends on 2026-03-01$'
refuses() { # SED PATTERN: a policy with that change
  sed "$1" policy.toml >wrong.toml
  plumb 2 policy lint wrong.toml
  warns "$2"
}
refuses '/^owner/d' "wrong\.toml:3: quarantine 1: wanted a key 'owner'"
refuses 's/^since.*/since = 2026-03-02/' 'wrong\.toml:8: expires: it lies before since, 2026-03-02'
refuses 's/^since.*/since = 2025-11-30/' 'wrong\.toml:8: expires: wanted at most 90 days after since, by 2026-02-28'
refuses 's/"device_fault"/"lost"/' "wrong\.toml:10: kind: wanted one of nondeterministic, device_fault, failed, found"
plumb 2 verify models --candidate cpu --plant scalled@scores
warns "--plant scalled@scores: there is no fault 'scalled'; did you mean scaled"
plumb 2 verify models --candidate cpu --plant crash@none
warns "--plant crash@none: no node's label matches"
for bad in crash flicker=2@p lost=0.5@p hang@p nan=1@p @p crash@; do
  plumb 2 verify models --candidate cpu --plant "$bad"
  warns "--plant $bad: "
done
plumb 2 verify models --candidate cpu --retries 4
plumb 2 verify models/scores.json --candidate cpu --policy policy.toml --today 2026-02-30
warns "--today is a date such as 2026-12-31, got '2026-02-30'"
plumb 0 verify models --candidate cpu --retries 1
says '^2 cases, '
