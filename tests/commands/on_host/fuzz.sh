# Cases are the same each time, are judged, and what fails is reduced once; here on the CPU executor.
cpu=--candidate=cpu
plumb 0 fuzz --write graphs --count 12 --seed 7
says '^graphs: 12 graphs$'
plumb 0 fuzz --write again --count 6 --first 6 --seed 7
plumb 0 fuzz --write again --first 6 --count 1 --seed 7 --nodes 3 --force  # a single case does not depend on --nodes
for file in again/*; do cmp "$file" "graphs/${file#again/}" || fail "$file is another one"; done
plumb 0 fuzz --write single --single --count 12 --seed 7
[ "$(ls single | wc -l)" -eq 6 ] || fail "not every other case is of one node"
plumb 0 fuzz --write chosen --op 'soft*' --single --count 218
says '^chosen: 1 graph$'
plumb 2 fuzz --write chosen --count 1
warns '^plumb: --write chosen: the folder is not empty; --force writes beside what it has$'

plumb 0 fuzz "$cpu" --single --count 12 --corpus corpus
says '^6 cases of [0-9]+ outputs?, .*passed'
says '^reached 0\.0[0-9] of what ops declare \(dtype [1-9][0-9]* of '
says '^nothing new was found$'
holds corpus/coverage.tsv '^dtype	[a-z_0-9]+	[a-z0-9]+	1	0	[0-9]{6}\.'
[ -n "$(ls corpus/cases)" ] || fail "no case is kept that reached something"
[ ! -e corpus/batch ] || fail "cases are left that were judged"
plumb 0 fuzz "$cpu" --single --count 12 --corpus corpus --case-timeout 5m
says '^0 cases of 0 outputs; 6 were tried before$'

# Two softmax fail alike: the first one is reduced, the other one counted, and a later call knows both.
plumb 1 fuzz "$cpu" --op softmax --single --count 300 --plant nan@n0 --corpus found --keep .
says "^0000[0-9]{2}\.softmax: nan at 'n0' \(softmax\)$"
says '^   reduced: found/found/nan\.softmax$'
says '^known: nan\.softmax, 1 case$'
says '^new: nan\.softmax$'
holds found/found/nan.softmax/report.md "^# nan at 'n0' \(softmax\)$"
cmp nan.softmax.json found/found/nan.softmax/repro.json || fail "--keep wrote another graph"
cut -f 4,5 found/tried.tsv | sort | uniq -c | grep -q '^ *2 failed	nan\.softmax$' || fail "tried.tsv does not have both"
plumb 0 fuzz "$cpu" --replay found/cases --replay nan.softmax.json --plant nan@n0 --corpus found
says '^known: nan\.softmax, [0-9]+ cases?$'
says '^nothing new was found$'

# Files of another version of the generator run, and files that are no graphs are left.
sed 's/generator 1,/generator 99,/' "$(ls -d graphs/000000*)" >old.json
echo '{' >none.json
plumb 0 fuzz "$cpu" --replay old.json --replay none.json
says '^left: none\.json: '
says '^old\.json: is of version 99 of the generator, and this is version 1$'
plumb 0 fuzz "$cpu" --merge corpus --corpus all
says '^all: kept [1-6] of [1-6] cases?$'
cp none.json corpus/cases
plumb 2 fuzz "$cpu" --merge corpus --corpus all
says '^left: corpus/cases/none\.json: '

# Killed, it goes on where it was: no case is missing or there twice.
$launched fuzz "$cpu" --single --count 64 --corpus killed >/dev/null 2>&1 &
fuzzing=$!
for tenth in $(seq 600); do
  [ ! -s killed/tried.tsv ] || break
  sleep 0.1
done
kill -KILL $fuzzing
wait $fuzzing
[ -s killed/tried.tsv ] || fail "no case was tried in $tenth tenths of a second"
plumb 0 fuzz "$cpu" --single --count 64 --corpus killed
says '; [0-9]+ were tried before$'
[ "$(cut -f 2 killed/tried.tsv | sort | uniq -u | wc -l)" -eq 32 ] || fail "not every case was tried once"

# A graph that asks for a token of logits that are NaN is refused by the reference as well: nobody's fault. A candidate
# that refuses it otherwise has a fault, and so has one that refuses what the reference runs.
plumb 0 fuzz "$cpu" --seed 1024 --first 177 --count 1 --corpus made/for/refused
says '^1 case of 0 outputs, 1 refused$'
says '^nothing new was found$'
[ "$(cut -f 4,5 made/for/refused/tried.tsv)" = "refused	-" ] || fail "tried.tsv does not say that it was refused"
draws='{"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[4]", "values": [1, 2, 3, FOURTH]}},
  "nodes": [{"label": "n0", "op": "sample", "inputs": ["x"]}], "results": ["n0"]}'
echo "$draws" | sed 's/FOURTH/"nan"/' >nan.json
echo "$draws" | sed 's/FOURTH/4/' >four.json
plumb 0 fuzz "$cpu" --replay nan.json --replay four.json
says '^2 cases of 1 output, 1 passed, 1 refused$'
cat >refuses.sh <<'END'
echo '{"schema": "plumb.exec/1", "candidate": {"name": "refuses"},
  "jobs": [{"id": 0, "status": "error", "message": "node n0 (sample): logits[3] is nan"}]}' >"$1/response.json"
END
plumb 1 fuzz --candidate "exec:sh $PWD/refuses.sh" --replay nan.json --replay four.json
says '^2 cases of 0 outputs, 2 error$'
says_not refused

plumb 0 fuzz --hostile --count 20
says '^20 broken files, 0 of them were not refused with 2$'
plumb 0 fuzz "$cpu" --count 1000 --until-coverage 0.001 --budget 1h
plumb 2 fuzz --op sotfmax --count 1
warns "^plumb: --op: there is no op 'sotfmax'; did you mean softmax\?$"
plumb 2 fuzz --single --graphs
plumb 2 fuzz --budget 60
warns '^plumb: --budget is a time with a unit such as 60s, 5m or 1h, got .60.$'
plumb 2 fuzz --replay nobody.json
plumb 2 fuzz --merge graphs --corpus all
warns '^plumb: --merge graphs: is no corpus: it has no cases/$'
plumb 2 fuzz --plant nna@n0
