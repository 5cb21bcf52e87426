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
says '^good\.toml: 1 rules, nothing to object to$'
plumb 1 policy lint hidden.toml
says '^hidden\.toml:8: rule products: shadowed by rule all \(hidden\.toml:3\)$'
plumb 1 policy lint hidden.toml --against good.toml
says 'rule all \(hidden\.toml:3\) asks for less than rule products \(good\.toml:3\): cosine '
plumb 2 policy lint missing.toml
warns_of missing.toml
