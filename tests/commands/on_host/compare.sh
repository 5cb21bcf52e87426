# The first tensor that is too far off, its worst element and by how much; exit codes; names; and, by a graph, verify.
# array FILE.npy DTYPE EXTENT NUMBERS...: a vector; npz FILE.npz NAME=FILE.npy...
array() {
  python3 - "$@" <<'PY'
import struct, sys
path, dtype, values = sys.argv[1], sys.argv[2], sys.argv[3:]
head = "{'descr': '<%s', 'fortran_order': False, 'shape': (%d,), }" % (dtype, len(values))
head += " " * (-(len(head) + 11) % 64) + "\n"
read = int if dtype[0] == "i" else float
packed = struct.pack("<%d%s" % (len(values), {"f4": "f", "f8": "d", "i4": "i", "f2": "e"}[dtype]), *map(read, values))
open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + packed)
PY
}
npz() {
  python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as made:
    for word in sys.argv[2:]:
        name, path = word.split("=", 1)
        made.write(path, name + ".npy")' "$@"
}
array one.npy f4 1 2 3 4
array near.npy f4 1 2 3.000001 4
array far.npy f4 1 2.5 3 8
array ints.npy i4 1 2 3 4
array nan.npy f4 1 nan 3 4
array short.npy f4 1 2 3
array empty.npy f4

# One tensor each, whatever it is called; equal, close, and not.
plumb 0 compare one.npy one.npy
says '^no tensor is beyond its limit$'
says '^1 tensor: 1 within \(1 equal in every bit\), by torch\.testing\.assert_close, rtol 1\.3e-06, atol 1e-05 of f32$'
plumb 0 compare near.npy one.npy
says ' f32\[4\] +1 +0 +\[2\] +3\.000001 +3 '
plumb 1 compare near.npy one.npy --style numpy
plumb 1 compare far.npy one.npy
says "^'\(no name\)' is the first beyond its limit: 2 of 4 elements beyond; the worst is element \[3\]: 8 in A"
plumb 0 compare far.npy one.npy --rtol 0 --atol 4
plumb 1 compare far.npy one.npy --rtol 0 --atol 3.99
plumb 0 compare nan.npy nan.npy --style numpy
plumb 1 compare nan.npy nan.npy
says 'element \[1\]: nan in A, nan in B, one is a NaN'
plumb 0 compare empty.npy empty.npy
for style in polygraphy xla ncnn ggml; do plumb 1 compare far.npy one.npy --style $style; done
says 'its NMSE is 0\.[0-9]+, at most 1e-07 is allowed; the worst is element \[3\]: 8 in A'
plumb 0 compare far.npy one.npy --style ggml --limit 0.3

# What is no number of the rule, or no tensors, is said.
plumb 2 compare far.npy one.npy --rtol 1
warns '^plumb: --style torch \(torch\.testing\.assert_close\) takes both --rtol and --atol, or neither$'
plumb 2 compare far.npy one.npy --style ggml --rtol 1
plumb 2 compare far.npy one.npy --style nummpy
plumb 2 compare far.npy one.npy --seed 3
plumb 2 compare "$source/tests/parity/results/version_1.h5" one.npy
warns 'is a results file of plumb verify, not a file of tensors: use plumb drift$'
plumb 2 compare missing.npy one.npy
warns_of missing.npy

# Many tensors: layer2 comes before layer10; other types are a line each, and 2 in the end.
npz a.npz layer10=far.npy layer2=far.npy good=one.npy mine=one.npy gpu/x=one.npy
npz b.npz layer10=one.npy layer2=one.npy good=one.npy theirs=one.npy x=near.npy
plumb 1 compare a.npz b.npz --json report.json
says "^'layer2' is the first beyond its limit: 2 of 4 elements"
says "^2 tensors of A have no partner: 'gpu/x', 'mine'$"
says "^3 tensors: 1 within, 2 beyond "
holds report.json '"schema": "plumb.compare/1"'
holds report.json '"first_beyond": "layer2"'
holds report.json '"exit": 1'
plumb 0 compare a.npz#gpu b.npz
says "^4 tensors of B have no partner: "
plumb 4 compare a.npz#gpu b.npz --strict
says '^--strict: every tensor must have a partner$'
plumb 1 compare a.npz b.npz --map 's/^gpu\///' --map 's,^(mine|theirs)$,both,'
says '^5 tensors: 3 within, 2 beyond '
printf 'mine\ttheirs\r\n\nlayer2\tgood\n' >map.tsv
plumb 1 compare a.npz b.npz --names map.tsv
says "^'layer2' is the first"
printf 'mien\ttheirs\n' >wrong.tsv
plumb 2 compare a.npz b.npz --names wrong.tsv
warns "A has no tensor 'mien'; did you mean mine\?$"
plumb 2 compare a.npz b.npz --map 's/layer(2|10)/one/'
warns "calls both 'layer10' and 'layer2' 'one'$|calls both 'layer2' and 'layer10' 'one'$"
plumb 2 compare a.npz b.npz --map 's/x/\1/'
plumb 2 compare a.npz b.npz --map 's/^/a/;'
npz other.npz layer10=ints.npy layer2=short.npy good=one.npy
plumb 2 compare other.npz b.npz
says "^'layer2' is the first beyond its limit: is f32\[3\] in A, f32\[4\] in B$"
says "^'layer10': is i32\[4\] in A, f32\[4\] in B$"
mkdir none && npz none/none.npz nothing=one.npy
plumb 77 compare none/none.npz b.npz
says '^no tensor is in both$'
mkdir folder && cp far.npy folder/layer2.npy && cp "$source/fixtures/onnx/light_resnet50_output_0.pb" folder/out_0.pb
plumb 1 compare folder b.npz
says "^'layer2' is the first beyond"
plumb 0 compare folder/out_0.pb "$source/fixtures/onnx/light_resnet50_output_0.pb"
plumb 125 compare none/none.npz b.npz --git-bisect

# A policy has limits for each tensor, and says where it has none.
cat >policy.toml <<'TOML'
schema = "plumb-policy/1"
[[rule]]
id = "wide"
match = {node = "layer*"}
require = {max_abs = 4.0}
[[rule]]
id = "close"
match = {node = "good"}
require = {allclose = {rtol = 0.0, atol = 1e-9}}
TOML
plumb 0 compare a.npz b.npz --policy policy.toml
says '^3 tensors: 3 within \(1 equal in every bit\), by policy policy\.toml$'
sed -i 's/4\.0/3.5/' policy.toml
plumb 1 compare a.npz b.npz --policy policy.toml
says "^'layer2' is the first beyond its limit: max_abs is 4, at most 3\.5 is required: rule wide"
plumb 4 compare a.npz b.npz --policy policy.toml --map 's/layer/other/'
says "no rule of the policy matches"

# By a graph nobody needs a tolerance: both are judged, and it is said which is wrong.
plumb 0 dump "$graphs/scores.json" --from cpu --truth -o ours.npz
plumb 0 dump "$graphs/scores.json" --from cpu -o theirs.npz
python3 - <<'PY'
import zipfile
with zipfile.ZipFile("theirs.npz") as read: members = {name: read.read(name) for name in read.namelist()}
p = bytearray(members["cpu/p.npy"])
p[-1] ^= 1  # the last number is another one
members["cpu/p.npy"] = bytes(p)
with zipfile.ZipFile("theirs.npz", "w") as made:
    for name, data in members.items(): made.writestr(name, data)
PY
plumb 0 compare ours.npz#cpu ours.npz#cpu --graph "$graphs/scores.json" --seed 1
says '^as plumb verify .*scores\.json --candidate .?a=file:ours\.npz#cpu.? --candidate .?b=.*#cpu.? --seed 1$'
plumb 1 compare ours.npz#cpu theirs.npz#cpu --graph "$graphs/scores.json" --seed 1
says 'b.*failed'
plumb 1 compare ours.npz#cpu theirs.npz#cpu
says "^'p' is the first beyond its limit, in the order of the graph: "
plumb 0 compare ours.npz#cpu ours.npz#truth --graph "$graphs/scores.json" --seed 1
says '^ours\.npz#truth has f64 numbers where the graph has narrower ones: it is a truth, and is not judged'
plumb 2 compare ours.npz#cpu theirs.npz#cpu --graph "$graphs/scores.json"
plumb 2 compare ours.npz#truth ours.npz#truth --graph "$graphs/scores.json" --seed 1
