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
