# The tiles of cooperative matrices take a software driver minutes to compile, and say nothing more of the command.
plumb 0 calibrate --largest 32 --budget 0 --longest 1000000 --transfer 1 -o tiles.txt
says '^host to device [0-9.]+ GB/s, back [0-9.]+ GB/s, copies on the device [0-9.]*[1-9][0-9.]* GB/s, submit '
says '^matmul[a-z0-9_.]* up to [0-9.]+ GFLOP/s$'
says '^matmul[a-z0-9_.]* +32 +32 +32  [0-9]+x[0-9]+x[0-9]+ [0-9.]+  [0-9]+x'
warns '^wrote tiles\.txt$'
holds tiles.txt '^plumbline-calibration 1$'
holds tiles.txt '^host_to_device [0-9.e+]+$'
holds tiles.txt '^product matmul[a-z0-9_.]* 32 32 32 '
plumb 0 plan "$graphs/scores.json" --set calibration=tiles.txt
says '^  scores \(matmul\): gpu, '
# More is asked for than one buffer may have: what the host copied would be taken for the device's time. No memory moves
# a TB in a second.
plumb 0 calibrate --largest 32 --budget 0 --longest 1000000 --transfer 256 -o large.txt
says '^host to device [0-9]{1,3}\.[0-9] GB/s, back [0-9]{1,3}\.[0-9] GB/s, '
plumb 2 calibrate --largest 31
warns '^--largest: '
