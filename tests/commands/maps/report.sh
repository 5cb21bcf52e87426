# Where outputs are off: the maps that -o and --html have, and what report says of them.
cpu=--candidate=cpu
plumb 1 verify "$graphs/scores.json" "$cpu" --plant nan@p -o bad.h5 --html bad.html --no-plain-run
plumb 0 inspect bad.h5 --check-schema
plumb 0 report bad.h5 --map p --exit-zero
says '^.*/scores.json candidate=cpu planted=nan@p$'
says '^p \(softmax\) f32\[8, 48\]: failed, ratio inf$'
says '^8 rows of 48 columns; each sign is the largest error over its limit of a part$'
says '^row  0       12      24      36$'
says '^  0 \|@[^@|]{31}\|$'
says '^  7 \|[^@|]{32}\|$'
says '^\+ to 4 times the limit, \* to 16, # to 64, % more, @ not finite$'
plumb 1 report bad.h5 --map scores --html again.html
says '^scores \(matmul\) f32\[8, 48\]: passed, ratio 0\.[0-9]+$'
cmp bad.html again.html || fail 'report writes another page'

# Only the worst of many, but for --map all; a file without maps says so.
plumb 0 verify "$source/fixtures/graphs/bert_tiny.json" "$cpu" -o worst.h5 --no-plain-run
plumb 0 verify "$source/fixtures/graphs/bert_tiny.json" "$cpu" -o all.h5 --map all --no-plain-run
plumb 0 report all.h5 --map mask/bool
says '^mask/bool \('
plumb 2 report worst.h5 --map mask/bool
warns "^plumb: --map 'mask/bool': no map of it was kept: it is within its limits, and not among the 32 worst"

# What was not judged has no map, and a place for maps is needed.
plumb 0 verify "$graphs/scores.json" "$cpu" --filter '^p$' -o p.h5
plumb 2 report p.h5 --map scores
warns "^plumb: --map 'scores': it was not judged: not chosen$"
[ ! -s stdout ] || fail 'it prints something as well'
plumb 2 report p.h5 --map q --json p.json
warns "^plumb: --map 'q': no run has an output of that name$"
[ ! -e p.json ] || fail 'a report was left behind'
plumb 2 verify "$graphs/scores.json" "$cpu" --map all
warns '^plumb: --map says which maps -o and --html have, and neither is said$'

# Shares and processes of their own have the same maps.
plumb 1 verify "$graphs/scores.json" "$cpu" --plant nan@p --no-plain-run --jobs 1 -o child.h5
plumb 1 report child.h5 --map p
says '^  0 \|@[^@|]{31}\|$'
[ "$(digest_of child.h5 =values)" = "$(digest_of bad.h5 =values)" ] || fail 'a process of its own has other results'
plumb 0 merge bad.h5 p.h5 -o merged.h5
plumb 1 report merged.h5 --map p
says '^p \(softmax\) f32\[8, 48\]: passed, ratio '
says '^p \(softmax\) f32\[8, 48\]: failed, ratio inf$'
plumb 0 report p.h5 --map p
says '^p \(softmax\) '

# The picture has 8 x 8 pixels for each of 2 x 32 cells.
plumb 0 report all.h5 --map mask/bool --png picture.png
od -An -tx1 -N24 picture.png | tr -d ' \n' | grep -qx '89504e470d0a1a0a0000000d49484452000001000000''0010' ||
  fail 'that is no picture of 256 x 16 pixels'
plumb 2 report p.h5 --map scores --png none.png
[ ! -e none.png ] || fail 'a picture was left behind'
plumb 2 report p.h5 --png none.png
warns "^--png requires --map$"

# Nothing has a pattern where nothing is wrong.
plumb 0 verify "$source/fixtures/graphs" "$cpu" --tag 'not large' --map all -o clean.h5 --no-plain-run --json clean.json
holds clean.json '"patterns": \[\]'
if grep -q '"patterns": \[$' clean.json; then fail 'a pattern of nothing'; fi
