/* Prints where the fields of every struct of plumbline.h are. */
#include <plumbline.h>
#include <stddef.h>
#include <stdio.h>

#define SIZE(type) printf("%s %zu\n", #type, sizeof(type))
#define FIELD(type, field) printf("%s.%s %zu\n", #type, #field, offsetof(type, field))

int main(void) {
  SIZE(plumb_tensor);
  FIELD(plumb_tensor, dtype), FIELD(plumb_tensor, rank), FIELD(plumb_tensor, device), FIELD(plumb_tensor, shape);
  FIELD(plumb_tensor, strides), FIELD(plumb_tensor, data), FIELD(plumb_tensor, name);
  SIZE(plumb_read_options);
  FIELD(plumb_read_options, given_count), FIELD(plumb_read_options, shapes), FIELD(plumb_read_options, given);
  SIZE(plumb_candidate_options);
  FIELD(plumb_candidate_options, timeout), FIELD(plumb_candidate_options, taps), FIELD(plumb_candidate_options, names);
  FIELD(plumb_candidate_options, pair), FIELD(plumb_candidate_options, keep_exchange);
  FIELD(plumb_candidate_options, framework), FIELD(plumb_candidate_options, arguments);
  FIELD(plumb_candidate_options, device), FIELD(plumb_candidate_options, returns);
  FIELD(plumb_candidate_options, threads), FIELD(plumb_candidate_options, align);
  FIELD(plumb_candidate_options, flags), FIELD(plumb_candidate_options, storage);
  SIZE(plumb_setting);
  FIELD(plumb_setting, flags), FIELD(plumb_setting, name), FIELD(plumb_setting, value);
  SIZE(plumb_device);
  FIELD(plumb_device, is_software), FIELD(plumb_device, name), FIELD(plumb_device, driver), FIELD(plumb_device, uuid);
  FIELD(plumb_device, refusal), FIELD(plumb_device, memory);
  SIZE(plumb_call);
  FIELD(plumb_call, input_count), FIELD(plumb_call, asked_count), FIELD(plumb_call, required_count);
  FIELD(plumb_call, inputs), FIELD(plumb_call, asked), FIELD(plumb_call, context), FIELD(plumb_call, give);
  FIELD(plumb_call, fail);
  SIZE(plumb_callback);
  FIELD(plumb_callback, keeps_subnormals), FIELD(plumb_callback, name), FIELD(plumb_callback, taps);
  FIELD(plumb_callback, user), FIELD(plumb_callback, run), FIELD(plumb_callback, storage);
  SIZE(plumb_box);
  FIELD(plumb_box, rank), FIELD(plumb_box, starts), FIELD(plumb_box, extents);
  SIZE(plumb_traffic);
  FIELD(plumb_traffic, flags), FIELD(plumb_traffic, up), FIELD(plumb_traffic, down);
  SIZE(plumb_verify_options);
  FIELD(plumb_verify_options, repeat), FIELD(plumb_verify_options, seed), FIELD(plumb_verify_options, dtype);
  FIELD(plumb_verify_options, threads), FIELD(plumb_verify_options, strict), FIELD(plumb_verify_options, verified);
  FIELD(plumb_verify_options, no_plain), FIELD(plumb_verify_options, metamorphic), FIELD(plumb_verify_options, filter);
  FIELD(plumb_verify_options, mode), FIELD(plumb_verify_options, fill), FIELD(plumb_verify_options, policy);
  FIELD(plumb_verify_options, expected), FIELD(plumb_verify_options, expected_count);
  FIELD(plumb_verify_options, min_verified_work), FIELD(plumb_verify_options, min_verified_elements);
  FIELD(plumb_verify_options, progress), FIELD(plumb_verify_options, user), FIELD(plumb_verify_options, profile);
  SIZE(plumb_check_options);
  FIELD(plumb_check_options, keeps_subnormals), FIELD(plumb_check_options, threads);
  FIELD(plumb_check_options, strict), FIELD(plumb_check_options, policy), FIELD(plumb_check_options, profile);
  FIELD(plumb_check_options, sums);
  SIZE(plumb_row);
  FIELD(plumb_row, group), FIELD(plumb_row, label), FIELD(plumb_row, op), FIELD(plumb_row, verdict);
  FIELD(plumb_row, why), FIELD(plumb_row, kernel), FIELD(plumb_row, paired), FIELD(plumb_row, repro);
  FIELD(plumb_row, error), FIELD(plumb_row, ratio), FIELD(plumb_row, allowed), FIELD(plumb_row, ulp);
  FIELD(plumb_row, worst), FIELD(plumb_row, got), FIELD(plumb_row, truth), FIELD(plumb_row, is_guilty);
  FIELD(plumb_row, is_result);
  SIZE(plumb_probe_options);
  FIELD(plumb_probe_options, flags), FIELD(plumb_probe_options, progress), FIELD(plumb_probe_options, user);
  SIZE(plumb_op_infer_args);
  FIELD(plumb_op_infer_args, input_count), FIELD(plumb_op_infer_args, user), FIELD(plumb_op_infer_args, attributes);
  FIELD(plumb_op_infer_args, inputs), FIELD(plumb_op_infer_args, context), FIELD(plumb_op_infer_args, number);
  FIELD(plumb_op_infer_args, fail), FIELD(plumb_op_infer_args, give);
  SIZE(plumb_op_cpu_args);
  FIELD(plumb_op_cpu_args, input_count), FIELD(plumb_op_cpu_args, output_count), FIELD(plumb_op_cpu_args, flags);
  FIELD(plumb_op_cpu_args, user), FIELD(plumb_op_cpu_args, attributes), FIELD(plumb_op_cpu_args, inputs);
  FIELD(plumb_op_cpu_args, outputs), FIELD(plumb_op_cpu_args, context), FIELD(plumb_op_cpu_args, number);
  FIELD(plumb_op_cpu_args, fail);
  SIZE(plumb_op_bounds_args);
  FIELD(plumb_op_bounds_args, input_count), FIELD(plumb_op_bounds_args, output_count);
  FIELD(plumb_op_bounds_args, flags), FIELD(plumb_op_bounds_args, user), FIELD(plumb_op_bounds_args, attributes);
  FIELD(plumb_op_bounds_args, inputs), FIELD(plumb_op_bounds_args, outputs), FIELD(plumb_op_bounds_args, bounds);
  FIELD(plumb_op_bounds_args, context), FIELD(plumb_op_bounds_args, number), FIELD(plumb_op_bounds_args, fail);
  FIELD(plumb_op_bounds_args, unit);
  SIZE(plumb_op_gpu_args);
  FIELD(plumb_op_gpu_args, input_count), FIELD(plumb_op_gpu_args, output_count), FIELD(plumb_op_gpu_args, flags);
  FIELD(plumb_op_gpu_args, user), FIELD(plumb_op_gpu_args, attributes), FIELD(plumb_op_gpu_args, inputs);
  FIELD(plumb_op_gpu_args, outputs), FIELD(plumb_op_gpu_args, context), FIELD(plumb_op_gpu_args, number);
  FIELD(plumb_op_gpu_args, fail), FIELD(plumb_op_gpu_args, glsl), FIELD(plumb_op_gpu_args, spirv);
  FIELD(plumb_op_gpu_args, spirv_count), FIELD(plumb_op_gpu_args, groups), FIELD(plumb_op_gpu_args, push_count);
  FIELD(plumb_op_gpu_args, push);
  SIZE(plumb_op_v1);
  FIELD(plumb_op_v1, flags), FIELD(plumb_op_v1, user), FIELD(plumb_op_v1, name), FIELD(plumb_op_v1, schema);
  FIELD(plumb_op_v1, infer), FIELD(plumb_op_v1, body), FIELD(plumb_op_v1, cpu), FIELD(plumb_op_v1, bounds);
  FIELD(plumb_op_v1, gpu);
  SIZE(plumb_ops_args);
  FIELD(plumb_ops_args, abi), FIELD(plumb_ops_args, context), FIELD(plumb_ops_args, take);
  return 0;
}
