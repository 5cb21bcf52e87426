# A model that is told how many rows are in use gives the same at larger extents; one that is not told fails.
told=$graphs/attends_to_length.onnx all=$graphs/attends_to_all.onnx
plumb 0 verify "$told" --shape seq=77 --input 'length=[77, 60]' --bucket seq=128 -o out.h5 --json out.json
says '^  y: bucket \(seq=128 for seq=77\) holds, [0-9.e-]+ of the limits, [0-9]+ of 1232 elements with other bits$'
says '^  picks: bucket \(seq=128 for seq=77\) holds, bit by bit$'
says 'attends_to_length\.onnx: passed '
holds out.json '"relation": "bucket"'
plumb 0 inspect out.h5 --check-schema
says '^out\.h5 keeps to plumb\.results '
plumb 1 verify "$all" --shape batch=1 --shape seq=77 --bucket seq=128 --junit out.xml --counts fail.json
says '^  y: bucket \(seq=128 for seq=77\) broken: padding reaches it: [0-9]+ of 616 elements differ; the worst is '
says ' element \[0, [0-9]+, [0-9]+\], .* at seq=77 and .* at seq=128, [0-9.e+]+ times as far apart as both may be$'
says '^  picks: bucket .* padding reaches it: [0-9]+ of 77 elements differ; the worst is element \[0, [0-9]+\], '
holds fail.json '"repro": ?"plumb verify .*attends_to_all\.onnx.* --shape seq=77 --bucket seq=128'
holds out.xml 'relation bucket seq=128 for seq=77'
# Nothing is padded, and two extents are.
plumb 0 verify "$all" --shape batch=1 --shape seq=77 --bucket seq=77
says 'y: bucket \(seq=77 for seq=77\) holds, 0 of the limits, 0 of 616 '
plumb 0 verify "$told" --shape batch=1 --shape seq=5 --input length=3 --bucket batch=2 --bucket seq=8 --seeds 2
says "2 seeds"
plumb 0 verify "$told" --shape x=1,5,8 --input length=3 --bucket seq=8
says 'y: bucket \(seq=8 for seq=5\) holds'
# As PyTorch exports a decoder with an open number of tokens: padding stands behind the last token, which does not see
# it, and lies in the cache, where later tokens write over it.
prompt=$graphs/prompt_into_cache.onnx
plumb 0 verify "$prompt" --input 'tokens=[[3,1,4,1,5]]' --input last=4 --bucket rows=8 --filter '^logits$'
says '^  logits: bucket \(rows=8 for rows=5\) holds, '
plumb 1 verify "$prompt" --input 'tokens=[[3,1,4,1,5]]' --input last=4 --bucket rows=8 --filter '^new_keys$'
says '^  new_keys: bucket \(rows=8 for rows=5\) broken: padding reaches it: 24 of 128 elements differ; '
# Misuse is one line.
plumb 2 verify "$all" --shape batch=1 --shape seq=77 --bucket sek=128
warns "^error: .*attends_to_all\.onnx: no open extent is called 'sek', which --bucket names; did you mean seq\?$"
plumb 2 verify "$all" --shape batch=1 --shape seq=77 --bucket seq=64
warns "^error: .*attends_to_all\.onnx: --bucket seq=64 is smaller than the 77 that 'seq' is without it$"
plumb 2 verify "$graphs/dense.json" --bucket seq=64
warns "^error: .*dense\.json: --bucket goes with ONNX models, and this is not one$"
plumb 2 verify "$source/fixtures/networks/convnet/model.onnx" --bucket seq=64
warns "^error: .*no extent of an input is open and has a name, so that --bucket has none to round up$"
plumb 2 verify "$all" --shape batch=1 --shape seq=77 --bucket seq=64,3
warns_of "--bucket wants one extent, as in --bucket seq=128, got 2 for 'seq'"
plumb 2 verify "$all" --shape batch=1 --shape seq=77 --bucket seq=128 --fill exact
warns_of "--fill exact makes a graph of its own, which has no --bucket"
