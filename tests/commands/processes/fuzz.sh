# On a device: cases of one node pass, by kernels of their own, and a planted fault is found and made smaller.
plumb 0 fuzz --single --count 24 --corpus corpus
says '^12 cases of [0-9]+ outputs, .*passed'
says '^reached 0\.0[0-9] .* by ([2-9]|1[0-9]) kernels$'
says '^nothing new was found$'
plumb 1 fuzz --single --op rms_norm --count 218 --plant scaled@n0 --corpus found
says "^[0-9]{6}\.rms_norm: [a-z_]+ at 'n0' \(rms_norm\)$"
says '^   reduced: found/found/[a-z_]+\.rms_norm$'
