# The CPU executor. A device takes minutes where its driver compiles the kernels, and has tests of its own.
plumb 0 probe --on cpu -o cpu.toml
warns '^wrote cpu\.toml: profile [0-9a-f]{12} of .*, [1-9][0-9]* units that multiply, [1-9][0-9]* functions, in '
holds cpu.toml '^schema = "plumb-profile/2"$'
holds cpu.toml '^driver = "ref_cpu"$'
holds cpu.toml '^\[\[product\]\]$'
holds cpu.toml '^accumulator_bits = 24$'
plumb 2 probe --on cpu -o no_such_folder/cpu.toml
warns_of no_such_folder/cpu.toml
# Text of another kind stays: a policy, say, where a profile is written.
printf 'schema = "plumb-policy/1"\n' >policy.toml
plumb 2 probe --on cpu -o policy.toml
warns_of 'policy.toml: is text of another kind and is not replaced'
holds policy.toml '^schema = "plumb-policy/1"$'
