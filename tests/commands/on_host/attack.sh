# A program that describes itself and then gives no answer, and lists in which it and our own executor take both parts.
cat >liar.sh <<'END'
if grep -q '"describe"' "$1/request.json"; then
  echo '{"schema": "plumb.exec/1", "candidate": {"name": "liar"}}' >"$1/response.json"
fi
END
check='check --op softmax --attr axis=-1 --in f32[4,7] --candidate'
liar="run = \"$check 'exec:sh {here}/liar.sh'\""
host="run = \"$check cpu\""
silent='family = "silent"'
cat >list.toml <<END
schema = "plumb-attacks/1"

[[attack]]
name = "no_answer"
$silent
$liar
reason = "gave no answer"
exit = 3

[[control]]
name = "host"
family = "ours"
$host
END
plumb 0 attack list.toml --jobs 2 --json endings.json
says '^silent  +no_answer  +refused$'
says '^ours  +host  +passed$'
says '^1 of 1 cheat refused, 1 of 1 control passed$'
holds endings.json '"ending": "as_it_must"'
plumb 0 attack list.toml --filter '^ours$' --quiet
says '^0 of 0 cheats refused, 1 of 1 control passed$'
says_not 'host'

# What passes and must not, what must and does not, and what is refused for another reason.
sed -e "s|^run = .*cpu\"|@|; s|^run = .*|$host|; s|^@|$liar|" list.toml >swapped.toml
plumb 1 attack swapped.toml --json endings.json --force
says '^silent  +no_answer  +accepted$'
says '^ours  +host  +refused$'
says '^    again: plumb check '
says '^0 of 1 cheat refused, 0 of 1 control passed$'
holds endings.json '"ending": "accepted"'
sed 's/gave no answer/wrote behind/' list.toml >reason.toml
plumb 1 attack reason.toml
says '^silent  +no_answer  +other_reason$'
says '^    wanted exit 3 and /wrote behind/, got exit 3:$'

# Refusals say where.
plumb 2 attack list.toml --filter nothing
warns "no attack matches --filter 'nothing'"
plumb 2 attack nowhere.toml
warns 'nowhere\.toml'
sed 's/^exit = 3/exits = 3/' list.toml >key.toml
plumb 2 attack key.toml
warns "key\.toml:3: there is no key 'exits'; did you mean exit"
sed 's/^exit = 3/exit = 0/' list.toml >zero.toml
plumb 2 attack zero.toml
warns 'zero\.toml:3: exit is that of a cheat which is refused: 1, 3 or 4'
sed 's/= "check /= "run /' list.toml >run.toml
plumb 2 attack run.toml
warns 'run\.toml:3: run begins with check or verify'
sed 's/"host"/"no_answer"/' list.toml >twice.toml
plumb 2 attack twice.toml
warns "twice\.toml:10: 'no_answer' is there twice"
sed 's/gave no answer/(/' list.toml >expression.toml
plumb 2 attack expression.toml
warns 'expression\.toml:3: reason'
