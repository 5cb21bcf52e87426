/* Ops as a user has them: one by its body, one by its own code. With FAULT each is a little wrong on the device. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "library/plumbline.h"

#ifdef FAULT
#define TIMES "1.001 * "
#else
#define TIMES ""
#endif

static int64_t count_of(const plumb_tensor* tensor) {
  int64_t count = 1;
  for (int32_t axis = 0; axis < tensor->rank; ++axis) count *= tensor->shape[axis];
  return count;
}

/* beta * x^3, in f32 and in f64. */
static int cube(plumb_op_cpu_args* args) {
  const double beta = args->number(args->context, "beta");
  const int64_t count = count_of(args->inputs);
  for (int64_t i = 0; i < count; ++i)
    if (args->inputs->dtype == PLUMB_F64) {
      const double x = ((const double*)args->inputs->data)[i];
      ((double*)args->outputs->data)[i] = beta * (x * x * x);
    } else {
      const float x = ((const float*)args->inputs->data)[i];
      ((float*)args->outputs->data)[i] = (float)beta * (x * x * x);
    }
  return 0;
}

/* Four roundings, beta's own among them. */
static int bounds_of_cube(plumb_op_bounds_args* args) {
  const double* const y = args->outputs->data;
  double* const bound = args->bounds->data;
  const int64_t count = count_of(args->outputs);
  for (int64_t i = 0; i < count; ++i) bound[i] = 4.01 * args->unit * fabs(y[i]);
  return 0;
}

static const char glsl[] =
    "#version 450\n"
    "layout(local_size_x = 64) in;\n"
    "layout(binding = 0, std430) readonly buffer X { float x[]; };\n"
    "layout(binding = 1, std430) writeonly buffer Y { float y[]; };\n"
    "layout(push_constant) uniform Push { uint count; float beta; };\n"
    "void main() {\n"
    "  const uint i = gl_GlobalInvocationID.x;\n"
    "  if (i < count) y[i] = " TIMES
    "beta * (x[i] * x[i] * x[i]);\n"
    "}\n";

static int shader_of_cube(plumb_op_gpu_args* args) {
  const int64_t count = count_of(args->outputs);
  union {
    float number;
    uint32_t word;
  } beta;
  if (args->inputs->dtype != PLUMB_F32) return 0;
  beta.number = (float)args->number(args->context, "beta");
  args->glsl = glsl;
  args->groups[0] = (uint32_t)((count + 63) / 64);
  args->groups[1] = args->groups[2] = 1;
  args->push_count = 2;
  args->push[0] = (uint32_t)count;
  args->push[1] = beta.word;
  return 0;
}

static const char schema_of_cube[] =
    "{\"summary\": \"a scaled cube\", \"formula\": \"y = beta x^3\", \"inputs\": [{\"name\": \"x\", \"dtypes\": "
    "[\"f32\"]}], \"outputs\": [{\"name\": \"y\", \"type\": \"as x\"}], \"attributes\": [{\"name\": \"beta\", "
    "\"kind\": "
    "\"real\", \"default\": 1.5, \"doc\": \"the factor\"}]}";

static const char schema_of_swish[] =
    "{\"summary\": \"x sigmoid(beta x)\", \"inputs\": [{\"name\": \"x\", \"dtypes\": [\"f32\", \"f16\"]}], "
    "\"outputs\": "
    "[{\"name\": \"y\", \"type\": \"as x\"}], \"attributes\": [{\"name\": \"beta\", \"kind\": \"real\", \"default\": "
    "1.702}]}";

static const char swish[] =
    "{\"format\": \"plumb.graph/1\", \"inputs\": {\"x\": {\"type\": \"f32[2, 3]\"}}, \"nodes\": ["
    "{\"label\": \"beta\", \"op\": \"constant\", \"dtype\": \"$x.dtype\", \"shape\": [], \"values\": [\"$beta\"]},"
    "{\"label\": \"scaled\", \"op\": \"binary\", \"function\": \"multiply\", \"inputs\": [\"x\", \"beta\"]},"
    "{\"label\": \"gate\", \"op\": \"unary\", \"function\": \"sigmoid\", \"inputs\": [\"scaled\"]},"
    "{\"label\": \"y\", \"op\": \"binary\", \"function\": \"multiply\", \"inputs\": [\"x\", \"gate\"]}],"
    "\"results\": [\"y\"]}";

#ifdef FAULT
/* Swish by a beta that is not the body's. */
static int wrong_shader_of_swish(plumb_op_gpu_args* args) {
  const int64_t count = count_of(args->outputs);
  args->glsl =
      "#version 450\n"
      "layout(local_size_x = 64) in;\n"
      "layout(binding = 0, std430) readonly buffer X { float x[]; };\n"
      "layout(binding = 1, std430) writeonly buffer Y { float y[]; };\n"
      "layout(push_constant) uniform Push { uint count; };\n"
      "void main() {\n"
      "  const uint i = gl_GlobalInvocationID.x;\n"
      "  if (i < count) y[i] = x[i] / (1 + exp(-1.7 * x[i]));\n"
      "}\n";
  args->groups[0] = (uint32_t)((count + 63) / 64);
  args->groups[1] = args->groups[2] = 1;
  args->push_count = 1;
  args->push[0] = (uint32_t)count;
  return 0;
}
#endif

/* Writes one element too many. */
static int too_far(plumb_op_cpu_args* args) {
  ((char*)args->outputs->data)[count_of(args->outputs) * (args->outputs->dtype == PLUMB_F64 ? 8 : 4)] = 1;
  return cube(args);
}

int plumb_ops_entry(const plumb_ops_args* args) {
  plumb_op_v1 op = {sizeof op, 0, NULL, "acme.cube", schema_of_cube, NULL, NULL, cube, bounds_of_cube, shader_of_cube};
  int code = args->take(args->context, &op);
  if (code != 0) return code;
  op.name = "acme.too_far";
  op.cpu = too_far;
  op.gpu = NULL;
  code = args->take(args->context, &op);
  if (code != 0) return code;
  {
    plumb_op_v1 by_body = {sizeof by_body, 0, NULL, "acme.swish2", schema_of_swish, NULL, swish, NULL, NULL, NULL};
#ifdef FAULT
    by_body.gpu = wrong_shader_of_swish;
#endif
    return args->take(args->context, &by_body);
  }
}
