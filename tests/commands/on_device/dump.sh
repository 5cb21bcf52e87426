plumb 0 dump "$graphs/dense.json" --truth --inside -o all.h5
says '^wrote 6 tensors to all\.h5$'
tensor all.h5 /cpu/product '6, 6, 15, 15'
tensor all.h5 /gpu/product '6, 6, 15, 15'
tensor all.h5 /gpu/y '6.5, 5.5, 15.5, 14.5'
tensor all.h5 /truth/y '6.5, 5.5, 15.5, 14.5'
plumb 0 dump "$graphs/dense.json" --nodes '^y$' --from gpu -o gpu.npz
says '^wrote 1 tensor to gpu\.npz$'
plumb 0 inspect gpu.npz
says '^gpu/y: f32\[2, 2\], 5\.5 to 15\.5$'
plumb 2 dump "$graphs/dense.json" --nodes no_such_node
warns_of no_such_node
plumb 2 dump missing.json
warns_of missing.json
# A dump has the bits of a run, and says what no kernel stores. With --inside that is there, too, and what this changes
# is said.
encoder=$source/fixtures/graphs/encoder_in_primitives.json
plumb 0 run "$encoder" --on gpu -o run.h5
plumb 0 dump "$encoder" --from gpu -o plain.h5
says '^the device does not store 37 outputs '
says '^  norm1/mean is computed inside of norm1$'
h5diff run.h5 plain.h5 /y /gpu/y || fail "dump has other bits than run"
plumb 0 dump "$encoder" --from gpu --inside -o inside.h5
says '^wrote 56 tensors to inside\.h5$'
says '^13 tensors of the device have other bits than in a run without --inside:$'
says '^  y$'
if h5diff run.h5 inside.h5 /y /gpu/y >/dev/null; then fail "y is said to have other bits, and has not"; fi
plumb 2 dump "$encoder" --from gpu --nodes norm1/mean
warns_of norm1/mean
# A dump says whose it is, in an attribute or in a member of an archive that readers of tensors pass over.
h5dump -a /plumb.json inside.h5 | tr -d '\\' >about
for said in '"schema":"plumb.dump/1"' '"id":"' '"subject":"graph=' '"options":"' '"device":"' '"driver":"' \
  '"commit":"' '"watch":"inside"' \
  '"gpu/y":{"node":"y","executor":"gpu","order":[1-9][0-9]*,"kernel":"[^}]*"perturbed":true}'; do
  tr -d '\n' <about | sed 's/ *([0-9]*): *//g' | grep -q "$said" || fail "inside.h5 does not say $said"
done
h5dump -a /plumb.json plain.h5 | tr -d '\\' | grep -q '"watch":"plain"' || fail "plain.h5 does not say how it was made"
plumb 0 dump "$graphs/scores.json" --from cpu --nodes scores -o fed.npz
python3 -c 'import zipfile; print(zipfile.ZipFile("fed.npz").read("plumb.json.npy")[128:].decode())' >about
grep -q '"schema":"plumb.dump/1".*"cpu/scores":{"node":"scores","executor":"cpu","order":1}' about ||
  fail "an archive does not say whose it is"
cat >taken.json <<'JSON'
{
  "format": "plumb.graph/1",
  "inputs": {"cpu/scores": {"type": "f32[8, 48]"}},
  "nodes": [{"label": "p", "op": "softmax", "inputs": ["cpu/scores"]}],
  "results": ["p"]
}
JSON
plumb 0 run --on cpu taken.json --load-inputs fed.npz
warns '^1 input from fed\.npz, 0 inputs generated$'
# What nodes read, a part of a value alone, and what describes tensors in their place.
plumb 0 dump "$graphs/scores.json" --with-inputs --truth -o fed.h5
says '^wrote [1-9][0-9]* tensors to fed\.h5$'
plumb 0 compare fed.h5#cpu fed.h5#truth --graph "$graphs/scores.json"
says 'it is a truth, and is not judged'
plumb 0 verify "$graphs/scores.json" --candidate file:fed.h5#gpu
plumb 0 dump "$graphs/dense.json" --from cpu --slice 'y[-1,:]' --slice 'product[1,0:1]' --truth -o part.h5
says '^wrote 4 tensors to part\.h5$'
tensor part.h5 /cpu/y '15.5, 14.5'
tensor part.h5 /cpu/product '15'
h5dump -a /plumb.json part.h5 | tr -d '\\\n' | sed 's/ *([0-9]*): *//g' | grep -q '"slice":"\[-1,:\]"' ||
  fail "part.h5 does not say of which part it is"
plumb 2 dump "$graphs/dense.json" --from cpu --slice 'y[2,:]'
warns 'slice y\[2,:\]: axis 0 has 2 elements, and no such part$'
plumb 2 dump "$graphs/dense.json" --from cpu --slice 'y[0,0,0]'
warns 'has 3 axes, and the tensor is f32\[2, 2\]$'
plumb 2 dump "$graphs/dense.json" --from cpu --slice 'prodcut[0]'
warns "no value 'prodcut'; did you mean product\?$"
plumb 2 dump "$graphs/dense.json" --from cpu --slice 'y[a]'
plumb 0 dump "$graphs/dense.json" --from cpu --nodes '^y$' --stats -o stats.json
says '^cpu/y +f32\[2, 2\] +5\.5 +15\.5 +10\.5 +11\.4 +0 +0 +0 +\|'
holds stats.json '"schema": "plumb\.statistics/1"'
holds stats.json '"max": 15\.5'
[ ! -e plumb_dump.h5 ] || fail "--stats wrote tensors"
# Labels that differ in slashes alone are two datasets.
cat >slash.json <<'JSON'
{
  "format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[3]", "values": [1, -2, 3]}},
  "nodes": [
    {"label": "/a", "op": "unary", "inputs": ["x"], "function": "abs"},
    {"label": "a", "op": "unary", "inputs": ["x"], "function": "negate"}
  ],
  "results": ["/a", "a"]
}
JSON
plumb 0 dump slash.json --from cpu -o slash.h5
tensor slash.h5 /cpu/%2Fa '1, 2, 3'
tensor slash.h5 /cpu/a '-1, 2, -3'
plumb 0 run slash.json --on cpu -o results.h5
plumb 0 inspect results.h5
grep -q '^/a: f32\[3\], 1 to 3$' stdout || fail "a leading slash is lost"
plumb 0 dump slash.json --from cpu -o again.npz
says '^wrote 2 tensors to again\.npz$'
