# The product runs its own corpus: each folder of fixtures/ops, each file of the others, on every device, or on the
# first or the last alone. expect.sh turns an exit status and a message into a verdict. Further arguments are verify's.
function(fixture_test name expectation path)
  cmake_parse_arguments(PARSE_ARGV 3 fixture "ON_FIRST_DEVICE;ON_LAST_DEVICE;QUICK" "" "")
  set(devices ${PLUMB_TEST_DEVICES})
  if(fixture_ON_FIRST_DEVICE)
    set(devices ${PLUMB_FIRST_DEVICE})
  elseif(fixture_ON_LAST_DEVICE)
    set(devices ${PLUMB_LAST_DEVICE})
  endif()
  foreach(device IN LISTS devices)
    set(environment ${${device}_ENVIRONMENT})
    if(fixture_QUICK)
      set(environment ${${device}_QUICK})
    endif()
    set(test "${${device}_PREFIX}${name}")
    add_test(NAME "${test}" COMMAND sh "${PROJECT_SOURCE_DIR}/tests/expect.sh" ${expectation} "${path}"
      ${${device}_LAUNCHER} "$<TARGET_FILE:plumb>" verify "${path}"
      ${fixture_UNPARSED_ARGUMENTS})
    set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
  endforeach()
endfunction()

file(GLOB ops CONFIGURE_DEPENDS LIST_DIRECTORIES true "${PROJECT_SOURCE_DIR}/fixtures/ops/*")
foreach(path IN LISTS ops)
  get_filename_component(name "${path}" NAME)
  set(replays --policy "${CMAKE_CURRENT_SOURCE_DIR}/replays.toml")
  # Relations are of our kernels, whoever compiles them, and their other shapes are kernels of their own.
  fixture_test("fixtures.${name}" passes "${path}" ON_LAST_DEVICE QUICK --metamorphic ${replays})
  if(NOT PLUMB_FIRST_DEVICE STREQUAL PLUMB_LAST_DEVICE)
    fixture_test("fixtures.${name}" passes "${path}" ON_FIRST_DEVICE QUICK ${replays})
  endif()
endforeach()

foreach(folder_and_expectation "graphs;passes" "must_fail;fails" "invalid;is_refused")
  list(GET folder_and_expectation 0 folder)
  list(GET folder_and_expectation 1 expectation)
  # .expect beside a file states its message, where the file cannot.
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fixtures/${folder}/*")
  list(FILTER files EXCLUDE REGEX "\\.(expect|md|npz|h5|hdf5)$")
  foreach(path IN LISTS files)
    get_filename_component(name "${path}" NAME_WE)
    set(where "")
    if(folder STREQUAL invalid)
      set(where ON_FIRST_DEVICE)  # a reader refuses before there is a device
    elseif(name MATCHES "^(bert_base|eeg_encoder|resnet18)$")
      set(where ON_LAST_DEVICE)  # it computes five times as fast as the first one
    endif()
    fixture_test("${folder}.${name}" ${expectation} "${path}" ${where})
    if(folder STREQUAL graphs AND NOT PLUMB_SANITIZED AND NOT name MATCHES "^(bert_base|resnet18)$")  # too long
      # What such data and relations prove is proved of our kernels, whoever compiles them.
      fixture_test("exact.${name}" passes "${path}" ON_FIRST_DEVICE QUICK --fill exact)
      set(where ON_FIRST_DEVICE QUICK)
      if(name STREQUAL "eeg_encoder")
        set(where ON_LAST_DEVICE)  # its kernels are few and run long
      endif()
      fixture_test("metamorphic.${name}" passes "${path}" ${where} --metamorphic)
    endif()
    if(folder STREQUAL graphs AND NOT PLUMB_SANITIZED)
      # Runs on buffers are asked of the last device as well, where few graphs are asked for other relations.
      set(device ${PLUMB_LAST_DEVICE})
      set(test "${${device}_PREFIX}residency.${name}")
      add_test(NAME "${test}" COMMAND sh "${CMAKE_CURRENT_SOURCE_DIR}/residency.sh" "${path}" ${${device}_LAUNCHER}
        "$<TARGET_FILE:plumb>")
      set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${${device}_ENVIRONMENT}")
    endif()
  endforeach()
endforeach()

# Storage in 16 bits is another set of kernels, and of fusions that may or may not be made: they run where there are
# most kernels. Sanitizers leave out what runs the same code of ours again: these, relations of graphs, exact data
# (docs/build_time.md).
set(narrow_types f16 bf16)
if(PLUMB_SANITIZED)
  set(narrow_types "")
endif()
foreach(dtype IN LISTS narrow_types)
  foreach(name bert_tiny conv_norm_relu eeg_encoder encoder_in_primitives gated_delta_block gelus_in_primitives
               llama_block log_mel_front_end lstm_tagger mamba_block residual_block short_time_round_trip vit_block
               wide_residual_block)
    fixture_test("graphs.${name}.${dtype}" passes "${PROJECT_SOURCE_DIR}/fixtures/graphs/${name}.json"
      ON_LAST_DEVICE --dtype ${dtype} --policy "${CMAKE_CURRENT_SOURCE_DIR}/replays.toml")
  endforeach()
endforeach()

# Limits of sums in f16 are wide, as nobody says how a matrix unit adds: exact data prove their kernels.
fixture_test("exact.sums_in_f16" passes "${PROJECT_SOURCE_DIR}/fixtures/shapes/sums_in_f16.json" ON_LAST_DEVICE QUICK
  --strict --fill exact)

# What plumb search found in small graphs, held to what verifying it must come to.
fixture_test("fixtures.worst" passes "${PROJECT_SOURCE_DIR}/fixtures/worst" QUICK)

# Networks that PyTorch made and exported, each with what PyTorch gives in f64: scripts/make_networks.py. Every node has
# to pass, and none may prove nothing. In 16 bits they run where there are most kernels.
file(GLOB networks CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fixtures/networks/*/model.onnx")
foreach(path IN LISTS networks)
  get_filename_component(folder "${path}" DIRECTORY)
  get_filename_component(name "${folder}" NAME)
  fixture_test("networks.${name}" passes "${path}" --strict --data "${folder}/test_data_set_0")
  foreach(dtype IN LISTS narrow_types)
    fixture_test("networks.${name}.${dtype}" passes "${path}" ON_LAST_DEVICE --strict --dtype ${dtype}
      --data "${folder}/test_data_set_0")
  endforeach()
endforeach()

# What is said of graphs that somebody else wrote against the limits, as verdict.md A requires it, on the last device.
file(GLOB verdicts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fixtures/verdict/*.json")
foreach(path IN LISTS verdicts)
  get_filename_component(name "${path}" NAME_WE)
  foreach(device IN LISTS PLUMB_LAST_DEVICE)
    set(test "${${device}_PREFIX}verdict.${name}")
    add_test(NAME "${test}" COMMAND sh "${CMAKE_CURRENT_SOURCE_DIR}/verdict.sh"
      "${PROJECT_SOURCE_DIR}/fixtures/verdict/outcomes.txt" "${path}" ${${device}_LAUNCHER} "$<TARGET_FILE:plumb>")
    set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${${device}_ENVIRONMENT}")
  endforeach()
endforeach()

# Situations of public reports about other systems (fixtures/reports/README.md), many of them in one process.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  foreach(device IN LISTS PLUMB_TEST_DEVICES)
    set(test "${${device}_PREFIX}reports")
    add_test(NAME "${test}" COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/reports.py"
      "${PROJECT_SOURCE_DIR}/fixtures/reports" "${CMAKE_CURRENT_BINARY_DIR}/${test}" ${${device}_LAUNCHER}
      "$<TARGET_FILE:plumb>")
    set_tests_properties("${test}" PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${${device}_QUICK}")
  endforeach()

  # Products with packed weights in every format, of 1 to 17 rows: on the CPU in every precision, which takes a few
  # seconds, and on a device in parts, as each format has some ten pipelines. The whole sweep is for GPUs, on request.
  if(NOT PLUMB_SANITIZED)
    set(sweep "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/scripts/packed_sweep.py" --plumb "$<TARGET_FILE:plumb>"
      --quick)
    add_test(NAME packed_sweep.on_cpu COMMAND ${sweep} --candidate cpu --jobs 2)
    add_test(NAME packed_sweep.planted COMMAND ${sweep} --candidate cpu --jobs 2 --formats q4_k,mxfp4 --precisions f32
      -- --plant "element_zero@dense.n3.*")
    set_tests_properties(packed_sweep.planted PROPERTIES
      PASS_REGULAR_EXPRESSION "66 passed, 0 mistrusted, 2 failed or not run.*failed: q4_k.quick dense.n3.N11.usual")
    foreach(part RANGE 1 3)
      add_test(NAME packed_sweep.part_${part} COMMAND ${sweep} --precisions f32 --jobs 1 --shard ${part}/3
        -- --no-plain-run)
      set_tests_properties(packed_sweep.part_${part} PROPERTIES SKIP_RETURN_CODE 77
        ENVIRONMENT "${${PLUMB_FIRST_DEVICE}_QUICK};PLUMB_VALIDATION=0")
    endforeach()
  endif()
endif()
