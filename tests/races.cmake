# Under ThreadSanitizer plumb works on four threads, on a machine of one processor as well. A program in which a race
# was found ends with 66. What judging does is spread over these graphs and options: nodes side by side, elements and
# rows of one node, operands and truths by oneTBB, the record.
function(race_test name)
  add_test(NAME "races.${name}" COMMAND "$<TARGET_FILE:plumb>" ${ARGN} --threads 4)
  set_tests_properties("races.${name}" PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "${system_QUICK}")
endfunction()
set(graphs "${PROJECT_SOURCE_DIR}/fixtures/graphs")
set(ops "${PROJECT_SOURCE_DIR}/fixtures/ops")
set(network "${PROJECT_SOURCE_DIR}/fixtures/networks/experts")

race_test(verify verify "${graphs}/bert_tiny.json" --tensors all -o "${CMAKE_CURRENT_BINARY_DIR}/races.h5" --force)
race_test(f16 verify "${graphs}/bert_tiny.json" "${graphs}/residual_block.json" --dtype f16)
race_test(seeds verify "${graphs}/residual_block.json" --seeds 3 --fill adversarial)
race_test(propagate verify "${graphs}/residual_block.json" --mode propagate)
race_test(isolate verify "${graphs}/residual_block.json" --mode isolate)
race_test(kernels verify "${graphs}/residual_block.json" --each-kernel)
race_test(relations verify "${graphs}/residual_block.json" --metamorphic)
race_test(jointly verify "${graphs}/lstm_tagger.json" "${graphs}/mamba_block.json" "${graphs}/log_mel_front_end.json")
race_test(rows verify "${ops}/softmax" "${ops}/selective_scan" "${ops}/log_softmax/a_vocabulary.json")
race_test(reference verify "${ops}/histogram" "${ops}/scatter_add" "${ops}/overlap_add")
race_test(onnx verify "${network}/model.onnx" --data "${network}/test_data_set_0")
race_test(power power --on cpu --no-smallest "${graphs}/residual_block.json")
