# The test of layering.py, size.py, citations.py, op_names.py, spec_ops.py and comments.py, which PYTHON runs: every
# breach planted here must be found, and nothing must be found where there is none.
cmake_minimum_required(VERSION 3.22)

# plant() puts a file into a small tree; expect() lays it aside for a check, all of which planted.py runs at the end.
set(planted "${SCRATCH}")
set(SCRATCH "${planted}/tree")
set(trees 0)
function(plant file text)
  file(WRITE "${SCRATCH}/${file}" "#pragma once\n${text}\n")
endfunction()

function(expect check verdict)
  foreach(list exceptions op_names)
    if(NOT EXISTS "${SCRATCH}/tests/house/${list}.txt")
      file(WRITE "${SCRATCH}/tests/house/${list}.txt" "# none\n")
    endif()
  endforeach()
  file(RENAME "${SCRATCH}" "${planted}/${trees}")
  file(APPEND "${planted}/expected.txt" "${check}\t${verdict}\n")
  math(EXPR trees "${trees} + 1")
  set(trees "${trees}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${planted}")

plant(ref_cpu/executor.cpp "#include \"ir/graph.hpp\"\n#include <Eigen/Core>")
plant(gpu_vulkan/runtime/driver/device.hpp "#include <vulkan/vulkan.h>")
plant(gpu_vulkan/runtime/arena.cpp "#include \"gpu_vulkan/runtime/driver/device.hpp\"")
plant(parity/cli/main.cpp "#include \"ref_cpu/executor.hpp\"\n#include <CLI/CLI.hpp>")
plant(ir/hdf5/store.cpp "#include <hdf5.h>")
expect(layering nothing)

# Folders.
foreach(pair "ir;ref_cpu" "ir;gpu_vulkan" "ir;parity" "ref_cpu;gpu_vulkan" "ref_cpu;parity" "gpu_vulkan;ref_cpu"
    "gpu_vulkan;parity" "parity;ref_cpu" "parity;gpu_vulkan")
  list(GET pair 0 folder)
  list(GET pair 1 other)
  plant(${folder}/deep/planted.hpp "#include \"${other}/x.hpp\"")
  expect(layering "${folder}/deep/planted.hpp: ${folder} may not include ${other}")
endforeach()
plant(parity/report/report.cpp "#include \"parity/cli/command.hpp\"")
expect(layering "may not include parity/cli")

# Rooms: a room of a higher floor, one of the same floor, a folder that is no room; lower floors are free.
plant(parity/verify/verify.cpp "#include \"parity/core/verdict.hpp\"\n#include \"parity/bounds/error_model.hpp\"")
plant(gpu_vulkan/passes/fuse.cpp
  "#include \"gpu_vulkan/fused_ops/region.hpp\"\n#include \"gpu_vulkan/plan/lower.hpp\"")
plant(ir/formats/onnx/draft.cpp "#include \"ir/formats/zip.hpp\"")
expect(layering nothing)
foreach(pair "parity/core/verdict.cpp;parity/verify/verify.hpp" "parity/verify/verify.cpp;parity/power/claim.hpp"
    "parity/profile/profile.cpp;parity/profile/probe/probe.hpp"
    "gpu_vulkan/plan/plan.cpp;gpu_vulkan/kernels/gemm/gemm.hpp"
    "gpu_vulkan/kernels/gemm/gemm.cpp;gpu_vulkan/vulkan_executor.hpp" "ir/raw/hash.cpp;ir/graph.hpp"
    "ir/kernels/window.hpp;ir/ops/conv.hpp" "ref_cpu/kernels/fold.hpp;ref_cpu/ops/reduce.hpp")
  list(GET pair 0 file)
  list(GET pair 1 header)
  plant(${file} "#include \"${header}\"")
  expect(layering "may not include ${header} of room")
endforeach()
plant(parity/attic/old.cpp "")
expect(layering "parity/attic/old.cpp: its folder is no room of parity")

# Oracles: types, shapes and attributes, and nothing that both executors use.
plant(parity/element/ops/sort.cpp
  "#include \"ir/ops/sort.hpp\"\n#include \"parity/element/call.hpp\"\nauto axis = axis_of(op.axis, 2)\;")
expect(layering nothing)
foreach(header ir/kernels/window.hpp ir/convert.hpp ir/half.hpp ir/passes/widen.hpp parity/element/terms/terms.hpp)
  plant(parity/element/ops/conv.cpp "#include \"${header}\"")
  expect(layering "parity/element/ops/conv.cpp: an oracle may not include ${header}")
endforeach()
foreach(use "ir::kernels::resize_taps(op, 0, dtype, 3)" "op.copy(x, y)" "shape.strides()" "shape.axis(axis)"
    "ir::along(shape, 1)" "ir::broadcast_strides(x, y)")
  plant(parity/element/ops/resize.cpp "auto x = ${use}\;")
  expect(layering "parity/element/ops/resize.cpp: an oracle may not use this:")
endforeach()

# Loops: who asks may read them, who computes a limit may not.
plant(parity/checks/relations/symmetry.cpp "#include \"ir/loops.hpp\"\nauto loops = ir::loops_of(op, in, out)\;")
expect(layering nothing)
foreach(use "#include \"ir/loops.hpp\"" "auto loops = ir::loops_of(op, in, out)\;" "auto loops = op.loops(in, out)\;")
  plant(parity/bounds/ops/conv.cpp "${use}")
  expect(layering "parity/bounds/ops/conv.cpp: what computes a truth or a limit may not read loops")
endforeach()

# Third parties, each where it does not belong.
foreach(pair "ir/graph.cpp;Eigen/Core" "gpu_vulkan/ops/fft.cpp;fftw3.h" "ref_cpu/ops/fft.cpp;fftw3.h"
    "parity/compare/compare.cpp;tbb/parallel_for.h"
    "gpu_vulkan/ops/softmax.cpp;vulkan/vulkan.h" "gpu_vulkan/plan/plan.hpp;vulkan/vulkan_core.h"
    "parity/record.cpp;hdf5.h"
    "ir/hdf5/store.hpp;hdf5.h" "ir/formats/json.hpp;nlohmann/json.hpp" "ir/graph.cpp;nlohmann/json.hpp"
    "ir/tensor.cpp;zlib.h" "ir/raw/hash.cpp;sha256.h" "ir/raw/hash.hpp;xxhash.h" "parity/run.cpp;CLI/CLI.hpp"
    "ir/formats/read.cpp;toml++/toml.h" "ir/formats/read.cpp;onnx/onnx_pb.h"
    "parity/read.cpp;google/protobuf/message.h")
  list(GET pair 0 file)
  list(GET pair 1 header)
  plant(${file} "#include <${header}>")
  expect(layering "${file}: <${header}> may not be included here")
endforeach()

# A third party brought along by a header of its own folder, at one and two removes.
plant(ref_cpu/gemm/gemm.hpp "#include <Eigen/Core>")
plant(parity/cli/main.cpp "#include \"ref_cpu/gemm/gemm.hpp\"")
expect(layering "ref_cpu/gemm/gemm.hpp brings eigen along")
plant(gpu_vulkan/runtime/driver/device.hpp "#include <vulkan/vulkan.h>")
plant(gpu_vulkan/vulkan_executor.hpp "#include \"gpu_vulkan/runtime/driver/device.hpp\"")
plant(parity/cli/main.cpp "#include \"gpu_vulkan/vulkan_executor.hpp\"")
expect(layering "gpu_vulkan/vulkan_executor.hpp brings vulkan along")

# Sizes.
string(REPEAT "int x;\n" 398 lines)
plant(ir/longest.cpp "${lines}// 400")
expect(size nothing)
plant(ir/too_long.cpp "${lines}//\n// 401")
expect(size "ir/too_long.cpp: 401 lines")
string(REPEAT "x" 121 columns)
plant(gpu_vulkan/ops/wide.comp "${columns}")
expect(size "gpu_vulkan/ops/wide.comp: line 2 has 121 columns")
plant(parity/macro.hpp "#define SQUARE(x) ((x) * (x))")
expect(size "parity/macro.hpp: line 2 defines a macro with parameters")

plant(docs/results.md "${columns}")
expect(size "docs/results.md: line 2 has 121 columns")
plant(README.md "```\n${columns}\n```\n\n${columns}")
expect(size "README.md: line 6 has 121 columns")
set(link "[link](${columns}), https://${columns}")
plant(docs/results.md "|---|\n| ${columns} |\n\n```sh\n${columns}\n```\n\n    ${columns}\n\n${link}")
expect(size nothing)

string(REPEAT "  x();\n" 58 statements)
plant(ir/function.cpp "void f() {\n${statements}}\nstruct S {\n  void g(\n      int x) {\n${statements}  }\n};")
expect(size "ir/function.cpp: the function at line 63 has 61 lines")
plant(ir/function.cpp "void f() {\n${statements}}\n\nnamespace n {\n${statements}${statements}}")
expect(size nothing)
foreach(number RANGE 1 41)
  plant(parity/core/file${number}.cpp "")
  plant(ref_cpu/ops/op${number}.cpp "")
endforeach()
expect(size "parity/core: 41 source files")

# Exceptions: stated, without a reason, and stale.
plant(ir/too_long.cpp "${lines}//\n// 401")
file(WRITE "${SCRATCH}/tests/house/exceptions.txt" "ir/too_long.cpp: a table of the standard\n")
expect(size nothing)
plant(ir/too_long.cpp "${lines}//\n// 401")
file(WRITE "${SCRATCH}/tests/house/exceptions.txt" "ir/too_long.cpp\n")
expect(size "is not 'path: reason'")
plant(ir/short.cpp "")
file(WRITE "${SCRATCH}/tests/house/exceptions.txt" "ir/short.cpp: was long once\n")
expect(size "ir/short.cpp needs no exception any more")

# Citations: a small specification, what resolves in it, and what does not.
function(plant_pages)
  plant(docs/spec/ops.md "# 1. Words\n\n## 1.10 Truth <a id=\"1.10\"></a>\n\n# Appendix D. Models\n\n## D.8 Doubt")
  plant(docs/spec/verdict.md "## 3. Chance\n\n* <a id=\"V19\"></a>**V19 Trees.** See V19, and ops.md D.8.\n")
  plant(docs/policy.md "# Policies\n\n## The ratchet\n")
endfunction()

plant_pages()
plant(ir/graph.hpp "/// As ops.md 1.10 has it (verdict.md V19, ops.md D.8; docs/policy.md), ops.md D, ops.md\n/// 1.")
plant(docs/bounds.md "[V19](spec/verdict.md#V19), [a section](policy.md#the-ratchet), [else](https://x.y/z.md), ops.md")
expect(citations nothing)
foreach(pair "ops.md 1.11;'ops.md 1.11' is no section of docs/spec/ops.md" "ops.md D.9;'ops.md D.9' is no section"
    "verdict.md V20;'verdict.md V20' is no section of docs/spec/verdict.md" "ops.md D5;'ops.md D5' is no section"
    "as ops.md has it;'ops.md' says no section"
    "docs/numerics.md has more;there is no docs/numerics.md" "appendix D;'appendix D' names no page"
    "the models of D.8;'D.8' names no page" "numerics 2.4;'numerics 2.4' names no page"
    "design.md 6, policy.md 6;'policy.md 6' is no section of docs/policy.md")
  list(GET pair 0 cited)
  list(GET pair 1 verdict)
  foreach(file ir/graph.hpp gpu_vulkan/glsl/math.glsl scripts/test.sh)
    plant_pages()
    plant(${file} "// ${cited}.")
    expect(citations "${file}: ${verdict}")
  endforeach()
endforeach()
foreach(pair "[x](spec/signal.md);the link spec/signal.md leads nowhere"
    "[x](policy.md#fit);docs/policy.md has no anchor #fit" "docs/fit.md;there is no docs/fit.md"
    "verdict.md V20;'verdict.md V20' is no section")
  list(GET pair 0 cited)
  list(GET pair 1 verdict)
  plant_pages()
  plant(docs/bounds.md "Of ${cited}")
  expect(citations "docs/bounds.md: ${verdict}")
endforeach()
plant_pages()
plant(docs/spec/verdict.md "* **V1 Trees.** As V2 says.")
expect(citations "docs/spec/verdict.md: 'V2' is no section of it")
plant_pages()
plant(docs/spec/ops.md "## 1.10 Truth\n\n## 1.10 Truth again")
expect(citations "docs/spec/ops.md: section 1.10 is there twice")

# Names of ops.
function(plant_op file text)
  plant(ir/ops/softmax.hpp "  static constexpr auto name = \"softmax\";")
  plant(${file} "${text}")
endfunction()

plant_op(parity/compare/vacuity.cpp "bool vacuous() { return op.is<Softmax>(); }  // not \"softmax\"")
expect(op_names nothing)
plant_op(gpu_vulkan/ops/softmax.cpp "const std::string shader = variant(\"softmax\", width);")
expect(op_names nothing)
plant_op(parity/compare/vacuity.cpp "const std::map<std::string_view, Rule> rules = {{\"softmax\", rounds}}\;")
expect(op_names "parity/compare/vacuity.cpp: knows the op 'softmax' by its name")
plant_op(gpu_vulkan/ops/rows.cpp "if (node.op.name() == \"softmax\") return\;")
expect(op_names "gpu_vulkan/ops/rows.cpp: compares the name of an op")
plant_op(parity/results/keys.cpp "const char* key = \"softmax\"\;")
file(WRITE "${SCRATCH}/tests/house/op_names.txt" "parity/results/keys.cpp: softmax: a key of a file\n")
expect(op_names nothing)
plant_op(parity/results/keys.cpp "")
file(WRITE "${SCRATCH}/tests/house/op_names.txt" "parity/results/keys.cpp: softmax: was a key once\n")
expect(op_names "needs no exception any more")

# The specification of ops: one that exists, and one to come.
function(plant_spec text)
  plant(ir/ops/softmax.hpp "  static constexpr int tier = 1\;")
  plant(docs/spec/ops.md "# 1. Ops\n\n${text}")
endfunction()

set(exists "### softmax · tier 1 (as ONNX Softmax-13; NumPy [no]) <a id=\"softmax\"></a>\n\n- **in** x")
set(mark "not implemented yet")
set(to_come "### glu · tier 3 · ${mark} · gated <a id=\"glu\"></a>\n\n| solve · tier 3 · ${mark} | x |")
plant_spec("${exists}\n\n${to_come}")
expect(spec_ops nothing)
foreach(pair "### softmax · tier 1 · ${mark};softmax is marked '${mark}', but there is ir/ops/softmax.hpp"
    "${exists}\n\n### glu · tier 3 · gated;glu is not marked '${mark}', but there is no ir/ops/glu.hpp"
    "${exists}\n\n| glu · tier 3 | x |;glu is not marked '${mark}'"
    "${to_come};ir/ops/softmax.hpp: docs/spec/ops.md has no text of this op"
    "### softmax · tier 2;softmax is of tier 2, but not in ir/ops/softmax.hpp"
    "### softmax · tier 1\n\n### softmax · tier 1;softmax is there twice"
    "### softmax · tier 1\n\n### glu, not implemented yet;a heading is not '### name · tier N': ### glu")
  string(REGEX REPLACE ";([^;]*)$" "" spec "${pair}")
  string(REGEX MATCH "[^;]*$" verdict "${pair}")
  plant_spec("${spec}")
  expect(spec_ops "${verdict}")
endforeach()

# Comments.
plant(ir/graph.hpp "/// The values of a node; of each\n/// of them, too. Of a graph.\nint x;  ///< that of a node")
plant(scripts/test.sh "# What the same tests need.")
expect(comments nothing)
foreach(pair "ir/graph.hpp;/// Of each node" "ir/graph.hpp;  // Of each node" "ir/graph.hpp;/// What a node has"
    "ir/graph.hpp;int y;  ///< what a node has" "parity/core/table.cpp;/// The same: f64."
    "ir/graph.hpp;int x;  ///< of a node" "gpu_vulkan/ops/gather.comp;uint x\;  // the same of y"
    "gpu_vulkan/glsl/math.glsl;// Of zero" "scripts/test.sh;# The same, later" "cmake/shaders.cmake;  # Of a shader")
  list(GET pair 0 file)
  list(POP_FRONT pair)
  plant(${file} "${pair}")
  expect(comments "${file}: a comment that does not stand alone")
endforeach()
plant(parity/core/table.hpp "#include <vector>\n\nnamespace plumb {\n// A table.\nint x;\n}")
expect(comments nothing)
plant(parity/core/table.hpp "#include <vector>\n\nnamespace plumb {\nint x;  // a table\n}")
expect(comments "parity/core/table.hpp: does not say what it is for")

execute_process(COMMAND "${PYTHON}" -B "${ROOT}/tests/house/planted.py" "${planted}" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "checks do not find what is planted, or more")
endif()
