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
