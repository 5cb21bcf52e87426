# What is wrong with a graph that shows without running it, and without a device.
over=$source/fixtures/lint/overflows fits=$source/fixtures/lint/fits
plumb 0 lint "$fits/scaled_logits.json" --dtype f16
says 'scaled_logits\.json in f16: 0 findings in 2 nodes; 1 less sure: --level possible'
plumb 0 lint "$over/squares.json"
says 'squares\.json in f32: 0 findings in 1 node'
plumb 1 lint "$over/squares.json" --dtype f16 -v --json found.json
says '^y \(square\): overflow, likely: .* f16 ends at 65504'
says 'multiply an operand by 2\^-[0-9]*, or keep it in bf16 or f32'
says '^ *value  *type  *likely  *at most  *rms  *grid'
holds found.json '"schema": "plumb\.lint/1"'
holds found.json '"level": "likely"'
plumb 1 lint "$fits/scaled_logits.json" --dtype f16 --level possible
says 'overflow, possible: '
plumb 0 lint "$over/squares.json" --dtype f16 --level sure
# Networks that run in f16 get no findings.
plumb 0 lint "$source/fixtures/graphs/bert_tiny.json" --dtype f16
says 'bert_tiny\.json in f16: 0 findings in 65 nodes'
# What an input is stands beside the file: a range, or numbers.
plumb 1 lint "$fits/squares.json" --dtype f16 --range x:300,400 --level sure --json -
holds stdout '"kind": "overflow"'
warns 'overflow, sure: every element is beyond'
plumb 0 lint "$over/squares.json" --dtype f16 --range x:-1,1 --level possible
says ' 0 findings in 1 node$'
plumb 2 lint "$over/mask_constant.json" --range score:0,1
warns "mask_constant\.json: there is no input or param 'score' to have a range; did you mean scores"
plumb 2 lint "$over/squares.json" --range x:1,0
warns "the range of 'x' is upside down: 1 to 0"
plumb 2 lint "$over/squares.json" --range x:1
warns 'wanted NAME:LO,HI'
plumb 2 lint "$over/squares.json" --range x:1,two
warns "'two' is no number"
plumb 2 lint "$over/squares.json" --range x:0,1 --range x:0,2
warns 'the name has a range already'
plumb 2 lint "$over/squares.json" --level perhaps
plumb 2 lint nowhere.json
warns 'nowhere\.json'
# No file takes the place of one of another kind.
echo notes >found.txt
plumb 2 lint "$over/squares.json" --json found.txt
holds found.txt notes
plumb 0 lint "$over/squares.json" --json found.txt --force
holds found.txt 'plumb\.lint/1'
