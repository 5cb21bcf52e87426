plumb 0 run "$graphs/dense.json" -o gpu.h5
says '^y: f32\[2, 2\] \[6\.5, 5\.5, 15\.5, 14\.5\]$'
warns '^wrote gpu\.h5$'
tensor gpu.h5 /y '6.5, 5.5, 15.5, 14.5'
plumb 0 run "$graphs/dense.json" --on cpu -o cpu.h5
says '^y: f32\[2, 2\] \[6\.5, 5\.5, 15\.5, 14\.5\]$'
tensor cpu.h5 /y '6.5, 5.5, 15.5, 14.5'
# Tensors by name stand in for those of the file.
plumb 0 run "$graphs/twice.json" --on cpu --load-inputs cpu.h5
says '^twice: f32\[2, 2\] \[13, 11, 31, 29\]$'
warns '^1 input from cpu\.h5, 0 inputs generated$'
plumb 0 run "$graphs/twice.json" --on cpu --input y=1.5
says '^twice: f32\[2, 2\] \[3, 3, 3, 3\]$'
# The inputs of a run are saved, and fed again.
plumb 0 run "$graphs/twice.json" --on cpu --input y=1.5 --save-inputs saved.h5
warns '^wrote saved\.h5$'
tensor saved.h5 /y '1.5, 1.5, 1.5, 1.5'
plumb 0 run "$graphs/twice.json" --on cpu --load-inputs saved.h5
says '^twice: f32\[2, 2\] \[3, 3, 3, 3\]$'
plumb 2 run "$graphs/twice.json" --on cpu --save-inputs same.h5 -o same.h5
warns_of '--output and --save-inputs are the same file'
plumb 2 run "$graphs/twice.json" --on cpu --input y=1 --load-inputs cpu.h5
warns_of "input 'y' is given by --input and by cpu.h5"
plumb 2 run "$graphs/twice.json" --on cpu --input 'y=[1,2]'
warns_of "input 'y' is f32[2, 2], but --input gives f32[2]"
plumb 2 run "$graphs/dense.json" --device no_such_device
warns_of no_such_device
plumb 2 run --on cpu missing.json
warns_of missing.json
# What the environment asks an executor for is left beside the results: tensors as they were in that run, and where the
# values went that no kernel stores.
export PLUMB_DUMP='norm1|^y$:seen.h5'
plumb 0 run "$source/fixtures/graphs/encoder_in_primitives.json" -o fused.h5
unset PLUMB_DUMP
h5diff fused.h5 seen.h5 /y /gpu/y || fail "a dump has other bits than the run that it is of"
h5dump -a /plumb.json seen.h5 | tr -d '\\\n' | sed 's/ *([0-9]*): *//g' >about
grep -q '"missing":{.*"gpu/norm1/mean":"norm1"' about || fail "seen.h5 does not say what is fused"
[ ! -e seen-2.h5 ] || fail "one executable makes two files"
export PLUMB_DUMP='.*:seen.npz' PLUMB_DUMP_RUNS=1
plumb 0 run "$graphs/dense.json"
[ ! -e seen.npz ] || fail "a run is dumped that is not asked for"
PLUMB_DUMP_RUNS=0-0
plumb 0 run "$graphs/dense.json" --on cpu
plumb 0 inspect seen.npz
grep -q '^cpu/y: f32\[2, 2\], 5\.5 to 15\.5$' stdout || fail "the CPU executor is not dumped"
PLUMB_DUMP_RUNS=3-1
plumb 2 run "$graphs/dense.json" --on cpu
warns_of "PLUMB_DUMP_RUNS: '3-1' ends before it begins"
PLUMB_DUMP_RUNS=0 PLUMB_DUMP='.*:no_such_folder/seen.h5'
plumb 2 run "$graphs/dense.json" --on cpu
warns_of no_such_folder/seen.h5
unset PLUMB_DUMP PLUMB_DUMP_RUNS
