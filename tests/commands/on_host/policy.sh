cat >good.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "products"
match = { op = "matmul" }
require = { cosine = 0.999 }
END
cat >hidden.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "all"
match = {}
require = { cosine = 0.997 }

[[rule]]
id = "products"
match = { op = "matmul" }
require = { cosine = 0.999 }
END
plumb 0 policy lint good.toml
says '^good\.toml: 1 rule, nothing to object to$'
plumb 1 policy lint hidden.toml
says '^hidden\.toml:8: rule products: shadowed by rule all \(hidden\.toml:3\)$'
plumb 1 policy lint hidden.toml --against good.toml
says 'rule all \(hidden\.toml:3\) asks for less than rule products \(good\.toml:3\): cosine '
# Each refusal says where, and what was perhaps meant.
cat >output.toml <<'END'
schema = "plumb-policy/1"

[output]
p = { rel_l2 = 1e-3 }
y = { rel_l3 = 1e-3 }
END
plumb 2 policy lint output.toml
warns_of "output.toml:5: wanted one of "
warns "found 'rel_l3'; did you mean rel_l2\?$"
printf 'schema = 3\n' >number.toml
plumb 2 policy lint number.toml
warns_of "number.toml:1: schema: wanted a string, found an integer"
plumb 2 policy lnit good.toml
warns_of "plumb policy has no command 'lnit'; did you mean lint?"
plumb 2 policy
warns_of "plumb policy wants a command of its own, such as 'lint'"
plumb 2 policy lint missing.toml
warns_of missing.toml
# Words that match nothing are errors, and what gates nothing is a finding.
cat >words.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "typo"
match = { op = "matmull" }
require = { max_abs = 0 }
END
plumb 2 policy lint words.toml
warns_of "words.toml:5: match.op: no op is called 'matmull'; did you mean matmul?"
sed -i 's/op = "matmull"/op = "matmul", dtype = "float16"/' words.toml
plumb 2 policy lint words.toml
warns_of "words.toml:5: match.dtype: no dtype is called 'float16'; did you mean f16?"
cat >gate_off.toml <<'END'
schema = "plumb-policy/1"

[budget]
false_alarm_per_run = 1
max_vacuity = 1

[special]
nan = "ignore"

[[rule]]
id = "for-ever"
match = { op = "softmax" }
verdict = "xfail"
reason = "r"
ratio_max = 1e300
expires = 9999-12-31

[[rule]]
id = "anything"
match = {}
require = { allclose = { rtol = 1e300, atol = 1e300 } }
END
plumb 1 policy lint gate_off.toml
says '^gate_off\.toml:3: \[budget\] false_alarm_per_run = 1: a clean run fails that often'
says '^gate_off\.toml:3: \[budget\] max_vacuity = 1: hardly anything exceeds it$'
says '^gate_off\.toml:7: \[special\] nan = "ignore" without a reason: '
says '^gate_off\.toml:10: rule for-ever: expires on 9999-12-31, more than two years from now$'
says '^gate_off\.toml:10: rule for-ever: gates nothing: zeros .* are excused$'
says '^gate_off\.toml:18: rule anything: gates nothing: zeros in place of numbers as large as 65504 pass$'
