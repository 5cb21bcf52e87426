# Every command of plumb is run, and what it writes is looked at: each file of commands/on_host and commands/on_device
# is named after its command. The latter need a device and run on every one, commands/on_one_device on the first alone.
set(commands "${CMAKE_CURRENT_SOURCE_DIR}/commands")
set(scratch "${CMAKE_CURRENT_BINARY_DIR}/commands")

file(GLOB files CONFIGURE_DEPENDS "${commands}/on_host/*.sh")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  add_test(NAME "commands.${name}" COMMAND sh "${commands}/run.sh" "${file}" "${scratch}/${name}"
    "${PROJECT_SOURCE_DIR}" "$<TARGET_FILE:plumb>")
  set_tests_properties("commands.${name}" PROPERTIES ENVIRONMENT "${PLUMB_TEST_ENVIRONMENT}")
endforeach()

list(GET PLUMB_TEST_DEVICES 0 first_device)
file(GLOB files CONFIGURE_DEPENDS "${commands}/on_device/*.sh" "${commands}/on_one_device/*.sh")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  set(devices ${PLUMB_TEST_DEVICES})
  if(file MATCHES "/on_one_device/")
    set(devices ${first_device})
  endif()
  foreach(device IN LISTS devices)
    set(test "${${device}_PREFIX}commands.${name}")
    add_test(NAME "${test}" COMMAND sh "${commands}/run.sh" "${file}" "${scratch}/${device}/${name}"
      "${PROJECT_SOURCE_DIR}" ${${device}_LAUNCHER} "$<TARGET_FILE:plumb>")
    set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${${device}_ENVIRONMENT}")
  endforeach()
endforeach()

# What is demanded of a run and is not there is said, and counts, in every report; many models by one list, and shares
# of them, and runs that were cut off, tried again, or in processes of their own; NaNs and infinities; larger extents;
# other backends; campaigns on a device, by ranks of mpirun, and as their page shows them; maps of errors.
foreach(folder IN ITEMS gates lists shards resumed processes retried special candidates several buckets campaigns ranks
               pages maps)
  file(GLOB files CONFIGURE_DEPENDS "${commands}/${folder}/*.sh")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    set(test "commands.${folder}.${name}")
    add_test(NAME "${test}" COMMAND sh "${commands}/run.sh" "${file}" "${scratch}/${folder}/${name}"
      "${PROJECT_SOURCE_DIR}" ${${first_device}_LAUNCHER} "$<TARGET_FILE:plumb>")
    set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${${first_device}_ENVIRONMENT}")
  endforeach()
endforeach()

# No command may be without, and checks that are not met must fail.
add_test(NAME commands.covered COMMAND sh "${commands}/covered.sh" "${commands}" "$<TARGET_FILE:plumb>")
add_test(NAME commands.planted COMMAND sh "${commands}/planted.sh" "${scratch}/planted" "${PROJECT_SOURCE_DIR}")

# What a person sees on a terminal.
add_test(NAME commands.screen COMMAND python3 "${commands}/screen.py"
  "${PROJECT_SOURCE_DIR}/fixtures/must_fail/wrong_in_the_middle.json" "${commands}/graphs/scores.json"
  ${${first_device}_LAUNCHER} "$<TARGET_FILE:plumb>")
set_tests_properties(commands.screen PROPERTIES SKIP_RETURN_CODE 77
  ENVIRONMENT "${${first_device}_ENVIRONMENT}")

# And what docs/terminal.md says that they see.
add_test(NAME commands.terminal COMMAND python3 "${commands}/terminal.py" check "${PROJECT_SOURCE_DIR}/docs/terminal.md"
  "${commands}/graphs" "${scratch}/terminal" ${${first_device}_LAUNCHER} "$<TARGET_FILE:plumb>")
set_tests_properties(commands.terminal PROPERTIES SKIP_RETURN_CODE 77
  ENVIRONMENT "${${first_device}_ENVIRONMENT}")

# Files, words, signals and limits that nobody hopes for; more rounds: docs/ci.md.
add_test(NAME torture COMMAND sh "${CMAKE_CURRENT_SOURCE_DIR}/torture/torture.sh" 5 "${scratch}/torture"
  "${PROJECT_SOURCE_DIR}" ${${first_device}_LAUNCHER} "$<TARGET_FILE:plumb>")
set_tests_properties(torture PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${${first_device}_ENVIRONMENT}")

# The files that docs/ci.md shows for systems of continuous integration: their steps are run.
add_test(NAME commands.templates COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/ci/run_templates.py"
  "${PROJECT_SOURCE_DIR}/docs/ci.md" "${scratch}/templates" "${commands}/graphs" "$<TARGET_FILE:plumb>")
set_tests_properties(commands.templates PROPERTIES ENVIRONMENT "${PLUMB_TEST_ENVIRONMENT}")
