# ONNX's own backend tests, as Debian packages them (libonnx-testdata), on the last device.
# The numbers are what passed when they were last raised: fewer is a step back.
set(suite /usr/share/libonnx-testdata/data)
set(least_on_cpu 977)
set(least_on_gpu 977)
foreach(device IN LISTS PLUMB_LAST_DEVICE)
  set(test "${${device}_PREFIX}conformance.onnx")
  set(least --least-cpu ${least_on_cpu})
  if(PLUMB_VULKAN)
    list(APPEND least --least-gpu ${least_on_gpu})
  endif()
  if(EXISTS "${suite}")
    add_test(NAME "${test}" COMMAND ${${device}_LAUNCHER} "$<TARGET_FILE:plumb>" conformance
      "${suite}/node" "${suite}/simple" "${suite}/pytorch-operator" "${suite}/pytorch-converted"
      ${least})
  else()
    add_test(NAME "${test}" COMMAND sh -c "echo 'skipped: ${suite} is not there (libonnx-testdata)'; exit 77")
  endif()
  set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${${device}_ENVIRONMENT}")
endforeach()
