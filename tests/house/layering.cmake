# Who may include whom: cmake -DROOT=<tree> -P layering.cmake lists every breach and
# fails when there is one. Tests and benchmarks may include anything.
cmake_minimum_required(VERSION 3.22)

# 1. Which folders a folder may include. parity/cli puts the program together.
set(ir_may ir)
set(ref_cpu_may ir ref_cpu)
set(gpu_vulkan_may ir gpu_vulkan)
set(parity_may ir parity)
set(library_may ir ref_cpu gpu_vulkan parity library)
set(cli_may ir ref_cpu gpu_vulkan parity library)

# 2. Rooms: within a layer a file includes its own room and rooms of lower floors, so that no circle can arise.
# A room is
# a folder with those below it that have no floor of their own.
# The layer's own folder, "." here, is its face, which a room may include only where it says so.
set(ir_rooms ".=1" "raw=0" "cpu=2" "dumps=2" "files=2" "kernels=2" "ops=3" "passes=4" "adversarial=4" "hdf5=4"
  "formats/gguf=4" "formats=5" "formats/onnx=6" "formats/gguf/architectures=6")
set(ref_cpu_rooms ".=0" "kernels=1" "gemm=2" "packed=3" "transforms=2" "recurrent=3" "ops=4" "levels=5")
set(gpu_vulkan_rooms "device=0" "plan=1" "kernels/common=2" "kernels/elementwise=3" "kernels/copy=3" "kernels/rows=4"
  "kernels/norms=5" "kernels/gemm=5" "kernels/sort=5" "kernels/conv=6" "kernels/attention=6" "kernels/indexing=6"
  "kernels/fourier=6" "kernels/scans=6" "kernels/recurrent=7" "fused_ops=7" "ops=8" "region=8" "passes=9" "cache=3"
  "runtime/driver=4" "runtime=5" "run=10"
  "self_test=10" ".=11" "calibrate=12")
set(parity_rooms "core=0" "core/terminal=0" "element=0" "element/terms=1" "judges/definitions=0"
  "compare=1" "power/faults=5" "cases=3" "sums=2" "attribution=4" "bounds=3" "bounds/runs=4" "policy=4" "profile=4"
  "profile/probe=5" "settle=5" "settle/certify=6" "checks/exact=5" "checks/expected=5" "checks/patterns=6"
  "checks/samples=6" "judges=7" "report=7" "foreign=7" "checks/relations=8" "results=8" "verify=9" "power=10" "check=10"
  "studies/bench=10" "studies/closeness=10" "studies/conformance=10" "studies/drift=10" "studies/fit=10"
  "studies/flake=10" "studies/lint=10" "studies/reduce=10" "studies/search=10" "studies/sweep=10"
  "studies/selfcheck=11" "studies/fuzz=11" "report/html=8" "campaign=4" "cli=12")
set(library_rooms ".=0" "abi=1" "host=1" "candidates=2")
# What reaches beyond, file by file: tables that know every op, and taps that are those of one op.
set(beyond_floors "ir/op_list.cpp|ops" "ir/kernels/resize_taps.hpp|ops" "ir/hdf5/hdf5_use.hpp|formats")

# 3. Where a third-party header may be included.
set(third_parties boost glslang onnx eigen fftw tbb vulkan hdf5 json zlib md re2 xxhash cli11 toml dlfcn)
set(boost_header "boost/")
set(boost_place "^parity/core/distributions\\.cpp$")
set(glslang_header "glslang/")
set(glslang_place "^gpu_vulkan/region/glslang\\.cpp$")
set(onnx_header "(onnx|google/protobuf)/")
set(onnx_place "^ir/formats/onnx/")
set(eigen_header "(unsupported/)?Eigen/")
set(eigen_place "^ref_cpu/")
set(fftw_header "fftw3\\.h")
set(fftw_place "^ref_cpu/transforms/fftw\\.cpp$")
set(tbb_header "(tbb|oneapi)/")
set(tbb_place "^ref_cpu/")
set(vulkan_header "(vulkan|vk_video)/")
set(vulkan_place "^gpu_vulkan/(runtime/|vulkan_executor[a-z_]*\\.cpp$)")
set(hdf5_header "hdf5")
set(hdf5_place "^ir/(formats|hdf5)/.*\\.cpp$")
set(json_header "nlohmann/")
set(json_place "^((ir/formats|parity)/.*\\.cpp|parity/core/json_number\\.hpp)$")
set(zlib_header "zlib\\.h")
set(zlib_place "^ir/formats/.*\\.cpp$")
set(md_header "sha2(56)?\\.h")
set(md_place "^parity/.*\\.cpp$")
set(re2_header "re2/")
set(re2_place "^ir/formats/regular_expression\\.cpp$")
set(xxhash_header "xxhash\\.h")
set(xxhash_place "^ir/.*\\.cpp$")
set(cli11_header "CLI/")
set(cli11_place "^parity/cli/")
set(toml_header "toml\\+\\+/|toml\\.hpp")
set(toml_place "^parity/core/toml_text\\.hpp$")
set(dlfcn_header "dlfcn\\.h")
set(dlfcn_place "^(library/host/.*|library/(own_files|load_ops)|gpu_vulkan/runtime/driver/loader)\\.cpp$")

# 4. A header that includes such a header, itself or through others, stays in its folder.
set(kept_in "")  # "<header>|<third party>"

# 5. Oracles are written from the contract: of ir they may know types, shapes, dtypes, attributes and names of sums, no
# more. So they include these headers, and call no function of an op, nor any of the helpers that these headers happen
# to bring along.
set(oracles_may "^ir/(ops/.*|tensor|shape|dtype|op|graph|sums)\\.hpp$")
string(CONCAT oracles_may_not "ir::(kernels|raw|passes|along|lines_from|broadcast[a-z_]*|convert[a-z_]*|visit_[a-z]+|"
  "f16|bf16)|[^a-z_.>]op\\.[a-z_]+\\(|[.](strides|leading)\\(\\)|[.]axis\\(")

# 6. What computes a truth or a limit does not read the loops that ops declare: a wrong declaration shall fail a correct
# device or miss a fault, and so show, not move a limit along.
set(truth_or_limit
  "^(ref_cpu|parity/(element|sums|bounds|settle|judges|compare|checks/expected|attribution))/")
set(reads_loops "loops_of\\(|[.]loops\\(|ir/loops\\.hpp|ir/kernels/op_loops\\.hpp")

set(breaches 0)
macro(breach what)
  message(NOTICE "${what}")
  math(EXPR breaches "${breaches} + 1")
endmacro()

function(read_includes file out)
  file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  set(result "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"].*" "\\1" line "${line}")
    list(APPEND result "${line}")
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

function(layer_of file out)
  if(file MATCHES "^parity/cli/")
    set(${out} cli PARENT_SCOPE)
  else()
    string(REGEX REPLACE "/.*" "" layer "${file}")
    set(${out} "${layer}" PARENT_SCOPE)
  endif()
endfunction()

# The room of a file and its floor: the longest name of the layer's table that begins its path.
function(room_of layer path out_room out_floor)
  set(room "")
  set(floor "")
  string(REGEX REPLACE "^${layer}/" "" inside "${path}")
  foreach(entry IN LISTS ${layer}_rooms)
    string(REGEX REPLACE "=.*" "" name "${entry}")
    string(REGEX REPLACE ".*=" "" number "${entry}")
    set(is_face FALSE)
    if(name STREQUAL "." AND NOT inside MATCHES "/")
      set(is_face TRUE)
    endif()
    string(LENGTH "${name}" length)
    string(LENGTH "${room}" best)
    if(is_face OR (inside MATCHES "^${name}/" AND length GREATER best))
      set(room "${name}")
      set(floor "${number}")
    endif()
  endforeach()
  set(${out_room} "${room}" PARENT_SCOPE)
  set(${out_floor} "${floor}" PARENT_SCOPE)
endfunction()

set(files "")
foreach(folder ir ref_cpu gpu_vulkan parity library)
  file(GLOB_RECURSE found RELATIVE "${ROOT}" "${ROOT}/${folder}/*.hpp" "${ROOT}/${folder}/*.cpp")
  list(APPEND files ${found})
endforeach()
foreach(file IN LISTS files)
  read_includes("${file}" "includes_of_${file}")
endforeach()

foreach(file IN LISTS files)
  layer_of("${file}" layer)
  foreach(include IN LISTS "includes_of_${file}")
    if(include MATCHES "^(ir|ref_cpu|gpu_vulkan|parity|library)/" AND NOT CMAKE_MATCH_1 IN_LIST ${layer}_may)
      breach("${file}: ${layer} may not include ${CMAKE_MATCH_1}")
    endif()
    if(include MATCHES "^parity/cli/" AND NOT layer STREQUAL cli)
      breach("${file}: ${layer} may not include parity/cli")
    endif()
    foreach(third IN LISTS third_parties)
      if(include MATCHES "^(${${third}_header})")
        if(NOT file MATCHES "${${third}_place}")
          breach("${file}: <${include}> may not be included here")
        elseif(file MATCHES "\\.hpp$")
          list(APPEND kept_in "${file}|${third}")
        endif()
      endif()
    endforeach()
  endforeach()
endforeach()

foreach(file IN LISTS files)
  if(NOT file MATCHES "^parity/element/(ops/|[a-z_]+\\.[ch]pp)")
    continue()
  endif()
  foreach(include IN LISTS "includes_of_${file}")
    if(include MATCHES "^ir/" AND NOT include MATCHES "${oracles_may}")
      breach("${file}: an oracle may not include ${include}")
    elseif(include MATCHES "^parity/" AND NOT include MATCHES "^parity/element/[a-z_]+\\.hpp")
      breach("${file}: an oracle may not include ${include}")
    endif()
  endforeach()
  file(STRINGS "${ROOT}/${file}" used REGEX "${oracles_may_not}")
  list(FILTER used EXCLUDE REGEX "op\\.schema\\(")
  foreach(line IN LISTS used)
    breach("${file}: an oracle may not use this: ${line}")
  endforeach()
endforeach()

foreach(file IN LISTS files)
  if(file MATCHES "${truth_or_limit}")
    file(STRINGS "${ROOT}/${file}" used REGEX "${reads_loops}")
    foreach(line IN LISTS used)
      breach("${file}: what computes a truth or a limit may not read loops: ${line}")
    endforeach()
  endif()
endforeach()

foreach(file IN LISTS files)
  string(REGEX REPLACE "/.*" "" layer "${file}")
  room_of(${layer} "${file}" room floor)
  if(room STREQUAL "")
    breach("${file}: its folder is no room of ${layer}; tests/house/layering.cmake has the table")
    continue()
  endif()
  foreach(include IN LISTS "includes_of_${file}")
    if(NOT include MATCHES "^${layer}/" OR include MATCHES "op_table\\.hpp$")
      continue()
    endif()
    room_of(${layer} "${include}" other other_floor)
    if(other STREQUAL room OR "${file}|${other}" IN_LIST beyond_floors)
      continue()
    endif()
    if(other STREQUAL "" OR NOT other_floor LESS floor)
      breach("${file}: room ${room} may not include ${include} of room ${other}")
    endif()
  endforeach()
endforeach()

# Follow headers that include kept headers, until there is nothing new.
set(fresh ${kept_in})
while(fresh)
  set(next "")
  foreach(entry IN LISTS fresh)
    string(REPLACE "|" ";" entry "${entry}")
    list(GET entry 0 header)
    list(GET entry 1 third)
    layer_of("${header}" home)
    foreach(file IN LISTS files)
      if(NOT header IN_LIST "includes_of_${file}")
        continue()
      endif()
      layer_of("${file}" layer)
      if(NOT layer STREQUAL home)
        breach("${file}: ${header} brings ${third} along, which stays in ${home}")
      elseif(file MATCHES "\\.hpp$" AND NOT "${file}|${third}" IN_LIST kept_in)
        list(APPEND kept_in "${file}|${third}")
        list(APPEND next "${file}|${third}")
      endif()
    endforeach()
  endforeach()
  set(fresh ${next})
endwhile()
if(breaches GREATER 0)
  message(FATAL_ERROR "${breaches} breaches")
endif()
