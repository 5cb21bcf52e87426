# What a landing leaves out, so that three of them take what one would: labels of tests, by their names. A turn is the
# number of commits modulo 3. docs/build_time.md says what is not seen therefore.
#
#   left_out_K    not in turn K
#   on_request    in no turn
#   in_parts      in every turn another third of what it asks

# What these suites look at in every shape and dtype, fixtures of their ops, and graphs, take to both devices.
set(turns_on_request "ops[.]Matmul" "ops[.]MatmulOf" "ops[.]ConvOf" "ops[.]AttentionCasesInSixteenBits"
  "ops[.]OtherTypes/.*" "models[.]Onnx/LightModels")

# In one turn of three. Those that take longest are shared out by hand: turns take equally long.
set(turns_once "ops[.].*" "residency[.].*" "exact[.].*" "metamorphic[.].*")
set(turns_only_0 "bench[.]gpu" "gpu_vulkan[.]Models" "gpu_vulkan[.]Regions.*" "attacks" "python[.]flashinfer"
  "packed_sweep[.]part_1")
set(turns_only_1 "metamorphic[.]eeg_encoder" "gpu_vulkan[.]Fusion" "gpu_vulkan[.]ResidencyOnDevice" "house[.]new_op"
  "torture" "packed_sweep[.]part_2")
set(turns_only_2 "graphs[.]eeg_encoder[.]f16" "conformance[.]onnx" "gpu_vulkan[.]EmulationOnDevice"
  "gpu_vulkan[.]CalibrateOnDevice" "gpu_vulkan[.]AttentionViewsOnDevice" "gguf[.]templates" "power[.]bert_tiny"
  "packed_sweep[.]part_3")

# With sanitizers in no turn: they would wait for a driver, or repeat the same lines of ours, most of the time.
set(turns_not_sanitized "house[.].*" "install[.].*" "torture" "reports" "networks[.].*" "fixtures[.].*" "power[.].*"
  "verdict[.].*" "graphs[.]bert_base" "graphs[.]eeg_encoder" "graphs[.]resnet18" "models[.].*" "commands[.]calibrate"
  "commands[.]power" "ref_cpu[.]CpuAttention" "parity[.]Power" "parity[.]Expected" "parity[.]ExactTwin"
  "parity[.]Limits" "parity[.]NormLimit" "parity[.]AttentionLimit" "parity[.]RecordCrash"
  "parity[.]Models/EmulatedProducts" "parity[.]Probe" "gpu_vulkan[.]Models" "gpu_vulkan[.]SelfTest"
  "gpu_vulkan[.]GeluLimits" "gpu_vulkan[.]AddedNormOnDevice" "gpu_vulkan[.]Fusion" "gpu_vulkan[.]CalibrateOnDevice"
  "gpu_vulkan[.]Regions.+" "gpu_vulkan[.]Emulation.*")

# Sanitizers ask these in one turn, in which nothing else does.
set(turns_shared "commands[.].*" "parity[.].*" "ref_cpu[.].*" "gpu_vulkan[.].*")

# is_one_of(<out> <test> <list>): whether a pattern of the list is of this name.
function(is_one_of out test patterns)
  list(JOIN ${patterns} "|" pattern)
  set(${out} FALSE PARENT_SCOPE)
  if(test MATCHES "^(${pattern})$")
    set(${out} TRUE PARENT_SCOPE)
  endif()
endfunction()

# only_in(<out> <turn>), not_in(<out> <turn>): the labels of a test that runs in this turn, or in the two others.
function(only_in out turn)
  math(EXPR next "(${turn} + 1) % 3")
  math(EXPR last "(${turn} + 2) % 3")
  set(${out} left_out_${next} left_out_${last} PARENT_SCOPE)
endfunction()
function(not_in out turn)
  math(EXPR turn "${turn} % 3")
  set(${out} left_out_${turn} PARENT_SCOPE)
endfunction()

# turns_of(<out> <test> <is sanitized>): the labels of a test, none if it runs in every turn.
function(turns_of out test is_sanitized)
  string(REGEX REPLACE "^mesa26[.]" "" name "${test}")
  string(REGEX REPLACE "[.][0-9]+_of_[0-9]+$" "" suite "${name}")
  string(MD5 hash "${name}")
  string(SUBSTRING "${hash}" 2 4 hash)  # of all places in it this one shares the seconds out best
  math(EXPR turn "0x${hash} % 3")
  foreach(list on_request not_sanitized once shared)
    is_one_of(is_${list} "${suite}" turns_${list})
  endforeach()
  foreach(number 0 1 2)
    is_one_of(is_of_number "${suite}" turns_only_${number})
    if(is_of_number)
      set(turn ${number})
      set(is_once TRUE)
    endif()
  endforeach()
  set(labels "")
  if(is_on_request OR (is_sanitized AND is_not_sanitized))
    set(labels on_request)
  elseif(is_sanitized OR is_once)
    only_in(labels ${turn})
  elseif(name MATCHES "_are_generated$")
    # This takes no time.
  elseif(test MATCHES "^fixtures[.]" AND NOT PLUMB_FIRST_DEVICE STREQUAL PLUMB_LAST_DEVICE)
    not_in(labels "(${turn} + 1)")  # when the last device has it
  elseif(name MATCHES "^fixtures[.]")
    only_in(labels "(${turn} + 1)")
  elseif(is_shared AND test STREQUAL name AND NOT is_not_sanitized)
    not_in(labels ${turn})
  elseif(test STREQUAL "house.precise_shaders")
    set(labels in_parts)
  endif()
  set(${out} "${labels}" PARENT_SCOPE)
endfunction()
