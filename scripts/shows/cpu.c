/* Our CPU executor by libplumbline, as others would wrap theirs: a function of TVM-FFI's convention that computes the
 * op of the environment variables SHOW_OP and SHOW_ATTRIBUTES, and a plugin that computes graphs. Both do so rightly,
 * or with the fault that SHOW_FAULT, or the plugin's arguments, name. In C99. */
#include <math.h>
#include <plumbline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  int32_t type_index;
  uint32_t padding;
  union {
    int64_t whole;
    double real;
    void* pointer;
  } value;
} Any;

typedef struct {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t* shape;
  const int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

enum { most = 32 };
static char words[4096]; /* of the last failure */

static int failed(plumb_error* error) {
  if (error == NULL) return 0;
  snprintf(words, sizeof words, "%s", plumb_error_message(error));
  plumb_error_free(error);
  return 1;
}

static int32_t dtype_of(const DLTensor* t) {
  switch (t->code) {
    case 0:
      return t->bits == 8 ? PLUMB_I8 : t->bits == 16 ? PLUMB_I16 : t->bits == 32 ? PLUMB_I32 : PLUMB_I64;
    case 1:
      return t->bits == 8 ? PLUMB_U8 : t->bits == 16 ? PLUMB_U16 : PLUMB_U32;
    case 2:
      return t->bits == 16 ? PLUMB_F16 : t->bits == 32 ? PLUMB_F32 : PLUMB_F64;
    case 4:
      return PLUMB_BF16;
    case 5:
      return t->bits == 64 ? PLUMB_C64 : PLUMB_C128;
    default:
      return PLUMB_BOOL;
  }
}

static plumb_tensor tensor_of(const Any* arg) {
  const DLTensor* const t = arg->value.pointer;
  plumb_tensor made = {sizeof made, dtype_of(t), t->ndim, 0, t->shape, NULL, (char*)t->data + t->byte_offset, NULL};
  return made;
}

static size_t elements_of(const plumb_tensor* t) {
  size_t count = 1;
  for (int32_t axis = 0; axis < t->rank; ++axis) count *= (size_t)t->shape[axis];
  return count;
}

static size_t bytes_of(const Any* arg, const plumb_tensor* t) {
  return elements_of(t) * ((const DLTensor*)arg->value.pointer)->bits / 8;
}

static const char* fault(void) {
  const char* const text = getenv("SHOW_FAULT");
  return text != NULL ? text : "";
}
static int is(const char* name) { return strcmp(fault(), name) == 0; }

/* What ends or hangs a process, whoever it is. */
static void ends_by(const char* how) {
  if (strcmp(how, "segfault") == 0) *(volatile int*)16 = 1;
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "silence") == 0) _exit(0);
  if (strcmp(how, "sleep") == 0 && fork() >= 0) sleep(60); /* and so does a child of its own */
  while (strcmp(how, "endless") == 0) printf("on and on\n");
}

static volatile unsigned char seen;

/* What the function does besides, or in place of, what it is asked. */
/* Moves a float of 16 bits, `fraction` of them of its fraction, away from 0 by `by` or a last place more. */
static void move_half(unsigned short* half, int fraction, double by) {
  const int exponent = (*half & 0x7fff) >> fraction, bias = (1 << (14 - fraction)) - 1;
  const double last_place = ldexp(1, (exponent > 0 ? exponent : 1) - bias - fraction);
  *half = (unsigned short)(*half + (unsigned short)ceil(by / last_place));
}

static void spoil(const Any* args, const plumb_tensor* in, size_t inputs, plumb_tensor* out) {
  const size_t x = inputs > 0 ? bytes_of(args, in) : 0, y = bytes_of(args + inputs, out), count = elements_of(out);
  if (is("off") && count > 0) {
    const size_t at = (size_t)atoll(getenv("SHOW_AT")) % count;
    const double by = atof(getenv("SHOW_BY"));
    if (out->dtype == PLUMB_F32)
      ((float*)out->data)[at] += (float)by;
    else if (out->dtype == PLUMB_C64)
      ((float*)out->data)[2 * at] += (float)by;
    else if (out->dtype == PLUMB_F64)
      ((double*)out->data)[at] += by;
    else if (out->dtype == PLUMB_F16 || out->dtype == PLUMB_BF16)
      move_half((unsigned short*)out->data + at, out->dtype == PLUMB_F16 ? 10 : 7, by);
    else
      ((unsigned char*)out->data)[at * (y / count)] ^= 1;
  }
  if (is("reads") && x > 0)
    for (size_t k = 0; k < 4; ++k) seen = ((volatile unsigned char*)in->data)[x + k];
  if (is("writes")) memset((char*)out->data + y, 0x3f, 4);
  if (is("changes") && x > 0) ((unsigned char*)in->data)[x - 1] ^= 1;
}

/* The graph of the op on the operands among the arguments, which come first: the op knows how many there are. */
static int graph_of(const Any* args, size_t count, plumb_tensor* in, size_t* inputs, plumb_graph** graph) {
  static char names[most][24];
  for (*inputs = count; (*inputs)-- > 0;) {
    for (size_t k = 0; k < *inputs; ++k) {
      snprintf(names[k], sizeof names[k], "x%zu", k);
      in[k] = tensor_of(args + k);
      in[k].name = names[k];
    }
    in[*inputs].data = NULL;
    if (failed(plumb_graph_of_op(getenv("SHOW_OP"), getenv("SHOW_ATTRIBUTES"), in, *inputs, graph))) continue;
    if (plumb_graph_count(*graph, PLUMB_RESULTS) == count - *inputs) return 0;
    plumb_graph_free(*graph);
    *graph = NULL;
  }
  return 1;
}

/* Computes elsewhere, and hands over the results of the call before, or all but the last row. */
static int runs_elsewhere(plumb_executable* executable, const plumb_tensor* in, size_t inputs, const Any* args,
                          const plumb_tensor* out, size_t outputs) {
  static unsigned char* kept[most];
  static size_t sizes[most];
  plumb_tensor elsewhere[most];
  for (size_t k = 0; k < outputs; ++k) {
    const size_t bytes = bytes_of(args + inputs + k, &out[k]);
    elsewhere[k] = out[k];
    elsewhere[k].data = malloc(bytes + 1);
    if (sizes[k] != bytes + 1) free(kept[k]), kept[k] = calloc(bytes + 1, 1), sizes[k] = bytes + 1;
  }
  const int problem = failed(plumb_run(executable, in, inputs, elsewhere, outputs));
  for (size_t k = 0; k < outputs; ++k) {
    const size_t bytes = sizes[k] - 1, elements = elements_of(&out[k]);
    size_t row = bytes;
    if (out[k].rank > 0 && elements > 0) row = bytes / elements * (size_t)out[k].shape[out[k].rank - 1];
    if (is("previous")) memcpy(out[k].data, kept[k], bytes);
    if (is("unwritten")) memcpy(out[k].data, elsewhere[k].data, bytes - row);
    memcpy(kept[k], elsewhere[k].data, bytes);
    free(elsewhere[k].data);
  }
  return problem;
}

static int function(const Any* args, int32_t count) {
  plumb_tensor in[most], out[most];
  plumb_graph* graph = NULL;
  plumb_executor* cpu = NULL;
  plumb_executable* executable = NULL;
  const plumb_setting one = {sizeof one, 0, "threads", "1"};
  size_t inputs = 0, outputs = 0;
  if (count < 1 || count > most) return 1;
  ends_by(fault());
  int problem = graph_of(args, (size_t)count, in, &inputs, &graph);
  for (; !problem && inputs + outputs < (size_t)count; ++outputs) out[outputs] = tensor_of(args + inputs + outputs);
  problem =
      problem || failed(plumb_cpu(&one, 1, &cpu)) || failed(plumb_compile(cpu, graph, NULL, 0, NULL, 0, &executable));
  if (!problem && (is("previous") || is("unwritten")))
    problem = runs_elsewhere(executable, in, inputs, args, out, outputs);
  else
    problem = problem || failed(plumb_run(executable, in, inputs, out, outputs));
  if (!problem) spoil(args, in, inputs, out);
  plumb_executable_free(executable);
  plumb_executor_free(cpu);
  plumb_graph_free(graph);
  if (problem) fprintf(stderr, "%s\n", words);
  return problem;
}

int __tvm_ffi_run(void* handle, const Any* args, int32_t count, Any* result) {
  return handle != NULL || result->type_index != 0 ? 1 : function(args, count);
}

/* The plugin. */
typedef struct {
  const plumb_candidate_host* host;
  char fault[32];
  plumb_executor* cpu;
  plumb_graph* graph;
  char wanted[512][128];
  size_t count, result_count;
} Self;

static int fails(const Self* self) {
  self->host->fail(self->host, words);
  return PLUMB_ERROR;
}

static int create(plumb_candidate_create_args* args) {
  Self* const self = calloc(1, sizeof *self);
  self->host = args->host;
  snprintf(self->fault, sizeof self->fault, "%s", args->args);
  args->self = self;
  return failed(plumb_cpu(NULL, 0, &self->cpu)) ? fails(self) : PLUMB_OK;
}

static int describe(plumb_candidate_describe_args* args) {
  args->json = "{\"name\": \"cpu\", \"device\": \"host\", \"models\": [\"plumb.graph/1\"]}";
  return PLUMB_OK;
}

static int compile(plumb_candidate_compile_args* args) {
  Self* const self = args->self;
  if (failed(plumb_graph_read(args->graph, NULL, &self->graph))) return fails(self);
  self->count = 0;
  for (size_t k = 0; k < args->result_count + args->wanted_count && self->count < 512; ++k) {
    const char* const name = k < args->result_count ? args->results[k].name : args->wanted[k - args->result_count].name;
    int is_known = 0;
    for (size_t i = 0; i < self->count; ++i) is_known |= strcmp(self->wanted[i], name) == 0;
    if (!is_known) snprintf(self->wanted[self->count++], sizeof self->wanted[0], "%s", name);
  }
  self->result_count = args->result_count;
  args->executable = self;
  return PLUMB_OK;
}

static int is_param(const Self* self, const char* name) {
  for (size_t k = 0; k < plumb_graph_count(self->graph, PLUMB_PARAMS); ++k) {
    plumb_tensor param = {sizeof param, 0, 0, 0, NULL, NULL, NULL, NULL};
    if (!failed(plumb_graph_value(self->graph, PLUMB_PARAMS, k, &param)) && strcmp(param.name, name) == 0) return 1;
  }
  return 0;
}

/* A value of the graph, among all that are computed. */
static plumb_tensor type_of(const Self* self, const char* name) {
  plumb_tensor value = {sizeof value, 0, 0, 0, NULL, NULL, NULL, NULL};
  for (size_t k = 0; k < plumb_graph_count(self->graph, PLUMB_COMPUTED); ++k)
    if (!failed(plumb_graph_value(self->graph, PLUMB_COMPUTED, k, &value)) && strcmp(value.name, name) == 0) break;
  return value;
}

static int run(plumb_candidate_run_args* args) {
  Self* const self = args->self;
  static plumb_tensor params[512], inputs[64], results[512];
  const char* names[512];
  size_t param_count = 0, input_count = 0;
  plumb_executable* executable = NULL;
  ends_by(self->fault);
  for (size_t k = 0; k < args->input_count; ++k) {
    const plumb_candidate_tensor* const x = &args->inputs[k];
    const plumb_tensor one = {sizeof one, x->dtype, x->rank, 0, x->shape, NULL, (void*)x->data, x->name};
    if (is_param(self, x->name))
      params[param_count++] = one;
    else
      inputs[input_count++] = one;
  }
  for (size_t k = 0; k < self->count; ++k) {
    names[k] = self->wanted[k];
    results[k] = type_of(self, names[k]);
    results[k].data = malloc(16 * elements_of(&results[k]) + 1);
  }
  int problem = failed(plumb_compile(self->cpu, self->graph, params, param_count, names, self->count, &executable)) ||
                failed(plumb_run(executable, inputs, input_count, results, self->count));
  for (size_t k = 0; k < self->count; ++k) {
    static const size_t sizes[] = {0, 1, 1, 1, 2, 4, 4, 8, 2, 2, 4, 8, 8, 16, 2};
    static const int64_t huge[2] = {(int64_t)1 << 20, (int64_t)1 << 20};
    plumb_candidate_tensor out = {sizeof out,      results[k].dtype,
                                  results[k].rank, results[k].shape,
                                  results[k].data, sizes[results[k].dtype] * elements_of(&results[k]),
                                  names[k]};
    const int64_t turned[2] = {out.rank == 2 ? out.shape[1] : 1, out.rank == 2 ? out.shape[0] : 1};
    if (strcmp(self->fault, "shape") == 0) out.rank = 2, out.shape = turned;
    if (strcmp(self->fault, "vast") == 0) out.rank = 2, out.shape = huge;
    if (strcmp(self->fault, "dots") == 0) out.name = "../y";
    const int is_shown = strcmp(self->fault, "half") != 0 || k < self->result_count || k % 2 == 0;
    if (!problem && is_shown) args->sink->value(args->sink->context, &out);
    if (strcmp(self->fault, "garbage") == 0) args->sink->node(args->sink->context, names[k], "k", 5, "[1,");
    free(results[k].data);
  }
  plumb_executable_free(executable);
  return problem ? fails(self) : PLUMB_OK;
}

static void release(void* self, void* executable) {
  (void)executable;
  plumb_graph_free(((Self*)self)->graph);
  ((Self*)self)->graph = NULL;
}

static void destroy(void* self) {
  plumb_executor_free(((Self*)self)->cpu);
  free(self);
}

const plumb_candidate_v1* plumb_candidate_entry(uint32_t newest_abi) {
  static const plumb_candidate_v1 calls = {sizeof calls, 1, create, describe, NULL, compile, run, release, destroy};
  return newest_abi >= 1 ? &calls : NULL;
}
