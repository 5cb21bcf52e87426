/* plumbline as a shared library, libplumbline.so.1: C99 and C++ (docs/library.md).
 *
 * Rules without exception. A function that can fail returns a plumb_error*: NULL on success, and otherwise nothing was
 * written to its outputs and the error is the caller's, for plumb_error_free. Handles are opaque, come through a last
 * argument, are freed by plumb_..._free, which takes NULL, and keep alive what they need. Every struct begins with
 * `struct_size`, which whoever fills it sets to sizeof of it; fields beyond that count as 0, and 0 is the default.
 * Arrays of structs step by the size in their first element. Text is UTF-8 and lives as long as the handle that it came
 * from. Strides are in bytes; NULL means row-major. A handle may be used by one thread at a time, several handles by
 * several threads: those whose runs use a buffer or params that one of them writes see to the order of their calls.
 * Callbacks run on the thread that called, in its floating-point environment; all else is computed in the usual one,
 * and the caller's is left as it was. Nothing is printed, no handler is installed, no C++ exception gets out. Versions
 * of this ABI only ever grow. */
#ifndef PLUMBLINE_H
#define PLUMBLINE_H

#include <stddef.h>
#include <stdint.h>

#include "plumbline_candidate.h" /* enum plumb_dtype */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PLUMB_API __attribute__((visibility("default")))
#else
#define PLUMB_API
#endif

#define PLUMB_ABI 1u

typedef struct plumb_error plumb_error;
typedef struct plumb_graph plumb_graph;
typedef struct plumb_feeds plumb_feeds;
typedef struct plumb_executor plumb_executor;
typedef struct plumb_executable plumb_executable;
typedef struct plumb_buffer plumb_buffer;
typedef struct plumb_params plumb_params;
typedef struct plumb_context plumb_context;
typedef struct plumb_fence plumb_fence;
typedef struct plumb_result plumb_result;
typedef struct plumb_devices plumb_devices;
typedef struct plumb_text plumb_text;

PLUMB_API uint32_t plumb_abi_version(void); /* PLUMB_ABI of the library */
PLUMB_API const char* plumb_version(void);  /* "0.1.0" */
PLUMB_API const char* plumb_licence(void);  /* "MIT", or "GPL-2.0-or-later" where FFTW is linked in */

/* Told what is no error and ought to be known: remarks of a reader of models, doubts about a device, rules of a policy
 * that have expired. One for the process, which any thread calls, one at a time; a call that sets another, NULL for
 * nobody, returns when the one before is done. Without one these are said to nobody. */
PLUMB_API void plumb_set_log(void (*log)(void* user, const char* text), void* user);

/* What went wrong, as the program's exit codes have it (docs/ci.md). */
enum plumb_error_code {
  PLUMB_ERROR_INVALID = 2,     /* a file, an argument or a shape is wrong; the message names it */
  PLUMB_ERROR_DEVICE = 3,      /* a device or a candidate failed */
  PLUMB_ERROR_MEMORY = 5,      /* the host has no memory left */
  PLUMB_ERROR_STOPPED = 6,     /* the caller's own callback ended it */
  PLUMB_ERROR_UNSUPPORTED = 77 /* it is right, and this library, its device or the candidate lacks it */
};
PLUMB_API int plumb_error_kind(const plumb_error* error); /* enum plumb_error_code; 0 for NULL */
PLUMB_API const char* plumb_error_message(const plumb_error* error);
PLUMB_API void plumb_error_free(plumb_error* error);

/* An array in the caller's memory, or the type of one, whose `data` is NULL. */
typedef struct plumb_tensor {
  uint32_t struct_size;
  int32_t dtype; /* enum plumb_dtype */
  int32_t rank;
  int32_t device; /* 0: the host */
  const int64_t* shape;
  const int64_t* strides;
  void* data;
  const char* name; /* where tensors go by names, else NULL */
} plumb_tensor;

/* Graphs: a file of plumb.graph/1, or an ONNX model. */
typedef struct plumb_read_options {
  uint32_t struct_size;
  uint32_t given_count;
  const char* shapes;        /* of inputs and open extents: "x=1,3,224,224;batch=8;*=1" */
  const plumb_tensor* given; /* numbers of inputs, which settle what a model leaves open */
} plumb_read_options;
PLUMB_API plumb_error* plumb_graph_read(const char* path, const plumb_read_options* options, plumb_graph** graph);
/* The text of a plumb.graph/1; files that it names are relative to `folder`. */
PLUMB_API plumb_error* plumb_graph_parse(const char* json, const char* folder, plumb_graph** graph);
/* One op on operands of these types, which are inputs x0, x1, ...; its outputs are y, y:1, ... `attributes` is a JSON
 * object as graph files have it, or NULL. */
PLUMB_API plumb_error* plumb_graph_of_op(const char* op, const char* attributes, const plumb_tensor* operands,
                                         size_t count, plumb_graph** graph);
PLUMB_API void plumb_graph_free(plumb_graph* graph);

enum plumb_values { PLUMB_INPUTS = 0, PLUMB_PARAMS = 1, PLUMB_RESULTS = 2, PLUMB_COMPUTED = 3 };
PLUMB_API size_t plumb_graph_count(const plumb_graph* graph, int32_t which);
/* Name and type of a value. */
PLUMB_API plumb_error* plumb_graph_value(const plumb_graph* graph, int32_t which, size_t k, plumb_tensor* value);
PLUMB_API size_t plumb_graph_note_count(const plumb_graph* graph);
PLUMB_API const char* plumb_graph_note(const plumb_graph* graph, size_t k); /* a remark of the reader */

/* Numbers for all inputs and params: the file's own, and made from the seed where it has none. */
PLUMB_API plumb_error* plumb_graph_feeds(const plumb_graph* graph, uint64_t seed, plumb_feeds** feeds);
PLUMB_API size_t plumb_feeds_count(const plumb_feeds* feeds);
PLUMB_API plumb_error* plumb_feeds_tensor(const plumb_feeds* feeds, size_t k, plumb_tensor* tensor);
PLUMB_API void plumb_feeds_free(plumb_feeds* feeds);

/* Whoever runs graphs, or is judged. */
typedef struct plumb_candidate_options {
  uint32_t struct_size;
  uint32_t timeout; /* seconds for a run; 0: 600 */
  const char *taps, *names, *pair, *keep_exchange, *framework, *arguments, *device;
  int32_t returns, threads;
  uint32_t align;
  uint32_t flags;      /* 0 */
  const char* storage; /* "observed": floats may come narrower than the graph's, and are judged as stored so */
} plumb_candidate_options;
/* "cpu", "vulkan", "vulkan:DEVICE", "file:dump.npz", "exec:COMMAND", "py:FILE.py::FUNCTION", ...
 * (docs/foreign_backends.md); the options are the command line's. */
PLUMB_API plumb_error* plumb_candidate(const char* spec, const plumb_candidate_options* options,
                                       plumb_executor** executor);

/* Our executors by their knobs: "threads" of the CPU's, and of the Vulkan one those of `plumb options`, beside what the
 * environment says. */
typedef struct plumb_setting {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  const char *name, *value;
} plumb_setting;
PLUMB_API plumb_error* plumb_cpu(const plumb_setting* settings, size_t count, plumb_executor** executor);
PLUMB_API plumb_error* plumb_vulkan(const plumb_setting* settings, size_t count, plumb_executor** executor);

/* The Vulkan devices of this machine, as `plumb devices` lists them; none where there is no Vulkan. */
typedef struct plumb_device {
  uint32_t struct_size;
  int32_t is_software;
  const char *name, *driver, *uuid;
  const char* refusal; /* why it cannot be used; "" where it can */
  uint64_t memory;     /* bytes of its own */
} plumb_device;
PLUMB_API plumb_error* plumb_devices_list(plumb_devices** devices);
PLUMB_API size_t plumb_devices_count(const plumb_devices* devices);
PLUMB_API plumb_error* plumb_devices_device(const plumb_devices* devices, size_t k, plumb_device* device);
PLUMB_API void plumb_devices_free(plumb_devices* devices);

/* What a callback is asked: inputs in memory that it must not change, and the values that are wanted. It hands over
 * each tensor by `give`, which copies it, and returns 0; or calls `fail` and returns what `fail` returned. */
typedef struct plumb_call {
  uint32_t struct_size;
  uint32_t input_count, asked_count, required_count; /* the first `required_count` of those asked must be given */
  const plumb_tensor* inputs;
  const plumb_tensor* asked; /* names and types */
  void* context;
  int (*give)(void* context, const plumb_tensor* tensor);
  int (*fail)(void* context, int kind, const char* text); /* enum plumb_error_code; 1: it did what it must not */
} plumb_call;
typedef struct plumb_callback {
  uint32_t struct_size;
  int32_t keeps_subnormals; /* 1: it never gives 0 for a subnormal number */
  const char* name;         /* in reports; NULL: "callback" */
  const char* taps;         /* "results", "surviving" (NULL) or "all" */
  void* user;
  int (*run)(void* user, const plumb_call* call);
  const char* storage; /* as plumb_candidate_options has it */
} plumb_callback;
/* A candidate in this process, which computes a graph as a whole. */
PLUMB_API plumb_error* plumb_callbacks(const plumb_callback* callback, plumb_executor** executor);
PLUMB_API const char* plumb_executor_name(const plumb_executor* executor);
PLUMB_API void plumb_executor_free(plumb_executor* executor);

/* A graph made ready for many runs, which hand back these values, or its results where none is named. Params are fed by
 * `params`, and by the file and seed 1 where they are not. */
PLUMB_API plumb_error* plumb_compile(plumb_executor* executor, const plumb_graph* graph, const plumb_tensor* params,
                                     size_t param_count, const char* const* wanted, size_t wanted_count,
                                     plumb_executable** executable);
/* Inputs by name; `results` are the wanted values in their order, of their types, in the caller's memory. */
PLUMB_API plumb_error* plumb_run(plumb_executable* executable, const plumb_tensor* inputs, size_t input_count,
                                 plumb_tensor* results, size_t result_count);
/* Bytes of tensors that are freed with it: of its own runs, of constants, and of params that nobody else holds. */
PLUMB_API plumb_error* plumb_executable_bytes(const plumb_executable* executable, uint64_t* bytes);
PLUMB_API void plumb_executable_free(plumb_executable* executable);

/* Tensors that stay with an executor: the CPU's and the Vulkan one have memory for them (docs/library.md). Buffers are
 * read, written, copied and used by runs in the order of the calls. */

/* Elements of a tensor: as many as `extents` from `starts` on, along each of `rank` axes. NULL: the whole tensor. */
typedef struct plumb_box {
  uint32_t struct_size;
  int32_t rank;
  const int64_t *starts, *extents;
} plumb_box;

/* A tensor of zeros, of the type of one without data. */
PLUMB_API plumb_error* plumb_buffer_new(plumb_executor* executor, const plumb_tensor* type, plumb_buffer** buffer);
PLUMB_API plumb_error* plumb_buffer_type(const plumb_buffer* buffer, plumb_tensor* type);
/* Tensors of the box's shape; their bytes and no others go to the device or come back. Reading waits for the runs that
 * write the buffer. */
PLUMB_API plumb_error* plumb_buffer_write(plumb_buffer* buffer, const plumb_tensor* from, const plumb_box* box);
PLUMB_API plumb_error* plumb_buffer_read(const plumb_buffer* buffer, const plumb_box* box, plumb_tensor* into);
/* Boxes of one shape, of two buffers of one executor. The host does not wait. */
PLUMB_API plumb_error* plumb_buffer_copy(plumb_buffer* to, const plumb_buffer* from, const plumb_box* source,
                                         const plumb_box* target);
/* The memory itself, for as long as the buffer, where the host sees it. Whoever uses it waits for the runs that do. */
PLUMB_API plumb_error* plumb_buffer_mapped(plumb_buffer* buffer, plumb_tensor* tensor);
PLUMB_API void plumb_buffer_free(plumb_buffer* buffer);

/* Buffers in memory of others: what either side writes the other sees, and whoever uses it waits for the runs that do.
 * Where the executor cannot use the memory where it is (docs/spec/residency.md C), it is Unsupported or a copy. */
enum plumb_import { PLUMB_IMPORT_REQUIRE = 0, PLUMB_IMPORT_ALLOW_COPY = 1 };
/* A tensor in the caller's memory, which stays until `release` is called, unless that is NULL: once, when nothing uses
 * the memory any more, by the thread that ended the last use; never, where this fails. */
PLUMB_API plumb_error* plumb_buffer_import(plumb_executor* executor, const plumb_tensor* memory, int32_t how,
                                           void (*release)(void* user), void* user, plumb_buffer** buffer);
/* Tensors of DLPack (https://dmlc.github.io/dlpack), as version 1 has them and as it was before. They are given until
 * their deleter is called, by any thread: memory that the host sees, read-only if asked for, as params must be; before
 * version 1 nothing read-only is given. They are taken over, also where that fails. */
struct DLManagedTensorVersioned;
struct DLManagedTensor;
PLUMB_API plumb_error* plumb_buffer_to_dlpack(const plumb_buffer* buffer, int32_t read_only,
                                              struct DLManagedTensorVersioned** tensor);
PLUMB_API plumb_error* plumb_buffer_to_dlpack_unversioned(const plumb_buffer* buffer, struct DLManagedTensor** tensor);
PLUMB_API plumb_error* plumb_buffer_from_dlpack(plumb_executor* executor, struct DLManagedTensorVersioned* tensor,
                                                int32_t how, plumb_buffer** buffer);
PLUMB_API plumb_error* plumb_buffer_from_dlpack_unversioned(plumb_executor* executor, struct DLManagedTensor* tensor,
                                                            int32_t how, plumb_buffer** buffer);

/* Params by name, uploaded once for any number of graphs that are compiled with them, which need all of theirs here. */
PLUMB_API plumb_error* plumb_params_new(plumb_executor* executor, const plumb_tensor* tensors, size_t count,
                                        plumb_params** params);
PLUMB_API plumb_error* plumb_params_buffer(const plumb_params* params, const char* name, plumb_buffer** buffer);
/* Runs that begin later read this value. Refused where an executable or context lives that was compiled without naming
 * the param as replaceable. */
PLUMB_API plumb_error* plumb_params_set(plumb_params* params, const char* name, const plumb_tensor* value);
PLUMB_API void plumb_params_free(plumb_params* params);
/* No pass reads the values of params that are `replaceable`, which may cost speed; "*" means all. */
PLUMB_API plumb_error* plumb_compile_held(plumb_executor* executor, const plumb_graph* graph,
                                          const plumb_params* params, const char* const* wanted, size_t wanted_count,
                                          const char* const* replaceable, size_t replaceable_count,
                                          plumb_executable** executable);

/* The memory of one run; any number of contexts run one executable. Results are what the graph was compiled for. */
PLUMB_API plumb_error* plumb_context_new(plumb_executable* executable, plumb_context** context);
/* Runs read the input there, and write the result there. One buffer for both asks to write in place. */
PLUMB_API plumb_error* plumb_context_bind(plumb_context* context, const char* input, plumb_buffer* from);
PLUMB_API plumb_error* plumb_context_bind_result(plumb_context* context, const char* result, plumb_buffer* to);
/* The next run reads as input what this one makes as result. An input that is fed starts as zeros, or as what is
 * written to its buffer. */
PLUMB_API plumb_error* plumb_context_feed(plumb_context* context, const char* result, const char* input);
/* How a result that is fed becomes the input: "in place", "swap", or "copy: " and why. */
PLUMB_API plumb_error* plumb_context_how(plumb_context* context, const char* result, const char** how);
/* The memory of an input, else of a result. What it means is valid until the next submit. */
PLUMB_API plumb_error* plumb_context_buffer(plumb_context* context, const char* value, plumb_buffer** buffer);

/* Bytes that went to the device and came back, by submit and by the context's buffers, since the last submit began. */
typedef struct plumb_traffic {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  uint64_t up, down;
} plumb_traffic;
PLUMB_API plumb_error* plumb_context_traffic(const plumb_context* context, plumb_traffic* traffic);
PLUMB_API int plumb_context_blocks(const plumb_context* context); /* 1: submit returns when the run has ended */
PLUMB_API void plumb_context_free(plumb_context* context);

/* Begins a run on the inputs that are neither bound nor fed, which are copied before it returns. An error of the run
 * itself is the fence's. */
PLUMB_API plumb_error* plumb_submit(plumb_context* context, const plumb_tensor* inputs, size_t count,
                                    plumb_fence** fence);
PLUMB_API plumb_error* plumb_wait(const plumb_fence* fence); /* for the end of the run, whose error it hands back */
PLUMB_API int plumb_fence_ready(const plumb_fence* fence);   /* 1: the run has ended, well or not */
PLUMB_API plumb_error* plumb_fence_wait(const plumb_fence* fence, double seconds, int32_t* ready); /* at most so long */
PLUMB_API void plumb_fence_free(plumb_fence* fence);

/* Verdicts. */
typedef struct plumb_verify_options {
  uint32_t struct_size;
  uint32_t repeat;  /* runs that must agree in every bit; 0: 1 */
  uint64_t seed;    /* 0: 1 */
  int32_t dtype;    /* f16 or bf16: runs the graph's f32 values in this storage; 0: as it is */
  int32_t threads;  /* of the reference; 0: one for every core */
  int32_t strict;   /* what is in doubt does not count as passed */
  int32_t verified; /* what did not run does not either */
  int32_t no_plain; /* leaves out the run for results alone */
  int32_t metamorphic;
  const char *filter, *mode, *fill, *policy; /* as the command line's; NULL: as without */
  const plumb_tensor* expected;              /* another implementation's results, by name */
  size_t expected_count;
  double min_verified_work, min_verified_elements; /* shares that must be verified; 0: as usual */
  /* Told how far a verification is; other than 0 ends it with PLUMB_ERROR_STOPPED. */
  int (*progress)(void* user, const char* what, size_t done, size_t steps);
  void* user;
  const char* profile; /* a file of plumb_probe, or of `plumb probe` */
} plumb_verify_options;
PLUMB_API plumb_error* plumb_verify(const plumb_graph* graph, const plumb_tensor* inputs, size_t count,
                                    plumb_executor* candidate, const plumb_verify_options* options,
                                    plumb_result** result);
/* Of several candidates, each judged as if alone: inputs are made, and the truth is computed, once. There is a result
 * for each, or none. */
PLUMB_API plumb_error* plumb_verify_each(const plumb_graph* graph, const plumb_tensor* inputs, size_t count,
                                         plumb_executor* const* candidates, size_t candidate_count,
                                         const plumb_verify_options* options, plumb_result** results);

typedef struct plumb_check_options {
  uint32_t struct_size;
  int32_t keeps_subnormals, threads, strict;
  const char* policy;
  const char* profile;
  const char* sums; /* how it was summed, JSON as `sums` of `plumb verify --json`: replays test it, or it is ignored */
} plumb_check_options;
/* Judges results of one op. `attributes` is a JSON object as graph files have it, or NULL. */
PLUMB_API plumb_error* plumb_check(const char* op, const char* attributes, const plumb_tensor* inputs,
                                   size_t input_count, const plumb_tensor* got, size_t got_count,
                                   const plumb_check_options* options, plumb_result** result);

/* One output of one node. Numbers that were not computed are NaN. */
typedef struct plumb_row {
  uint32_t struct_size;
  uint32_t group; /* nodes that were judged as one: this one, and those whose values nobody has */
  const char *label, *op, *verdict, *why, *kernel, *paired, *repro;
  double error, ratio, allowed, ulp; /* the largest error and ratio, and the limit of the element with that ratio */
  int64_t worst;                     /* that element, in row-major order; -1: none */
  double got, truth;                 /* its numbers; real parts */
  int32_t is_guilty;
  int32_t is_result;
} plumb_row;
PLUMB_API int plumb_result_exit(const plumb_result* result); /* 0 passed, 1 failed, 3, 4, 77: docs/ci.md */
PLUMB_API const char* plumb_result_verdict(const plumb_result* result);
PLUMB_API const char* plumb_result_message(const plumb_result* result); /* why, where the case as a whole says so */
PLUMB_API size_t plumb_result_rows(const plumb_result* result);
PLUMB_API plumb_error* plumb_result_row(const plumb_result* result, size_t k, plumb_row* row);
PLUMB_API const char* plumb_result_text(plumb_result* result); /* the table of `plumb verify` */
PLUMB_API const char* plumb_result_json(plumb_result* result); /* that of --json */
/* All that is known of one row, for people: the limit and how it came about, the worst elements, the findings of
 * samples, what runs it again, and the rules of a policy that were asked. */
PLUMB_API plumb_error* plumb_result_explain(const plumb_result* result, size_t k, plumb_text** text);
/* Writes a results file (docs/results.md) of this one run, as `plumb verify -o` does, in place of an earlier results
 * file and of no other; `plumb merge` joins several. */
PLUMB_API plumb_error* plumb_result_save(const plumb_result* result, const char* path);
PLUMB_API void plumb_result_free(plumb_result* result);

/* What `plumb probe` finds of whoever computes graphs: a profile, as text of TOML. With `graph` also the order in which
 * its products are summed (docs/probe.md); else NULL. It may take minutes, and is over with PLUMB_ERROR_STOPPED when
 * `progress`, unless that is NULL, returns other than 0. */
typedef struct plumb_probe_options {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  int (*progress)(void* user, const char* what, size_t done, size_t steps);
  void* user;
} plumb_probe_options;
PLUMB_API plumb_error* plumb_probe(plumb_executor* executor, const plumb_graph* graph,
                                   const plumb_probe_options* options, plumb_text** profile);
PLUMB_API const char* plumb_text_get(const plumb_text* text);
PLUMB_API void plumb_text_free(plumb_text* text);

/* Ops of the caller's (docs/library.md), known by their names to graphs that are read later, for the life of the
 * process. Callbacks of one op are called one at a time, by any thread. They return 0, or what `fail` returns, which
 * keeps the text. They see copies of tensors: writing beyond one is found, and is an error. `attributes` is a JSON
 * object that has all of them, and `number` gives one that is a bool, an int or a real; NaN for any other. */

/* The types of the results on operands of these types: hands over one tensor without data for each, in order. */
typedef struct plumb_op_infer_args {
  uint32_t struct_size, input_count;
  void* user;
  const char* attributes;
  const plumb_tensor* inputs; /* without data */
  void* context;
  double (*number)(void* context, const char* attribute);
  int (*fail)(void* context, const char* text);
  int (*give)(void* context, const plumb_tensor* type);
} plumb_op_infer_args;
/* Computes: writes every element of the outputs. Also asked for in f64 and c128, where it is the definition. */
typedef struct plumb_op_cpu_args {
  uint32_t struct_size, input_count, output_count, flags; /* flags: 0 */
  void* user;
  const char* attributes;
  const plumb_tensor *inputs, *outputs;
  void* context;
  double (*number)(void* context, const char* attribute);
  int (*fail)(void* context, const char* text);
} plumb_op_cpu_args;
/* How far each element of each output may be off where an operation is off by at most `unit` of its result, 2^-24 for
 * f32 and narrower: writes tensors of f64 as large as the outputs. Operands and outputs are in f64 and c128. */
typedef struct plumb_op_bounds_args {
  uint32_t struct_size, input_count, output_count, flags; /* flags: 0 */
  void* user;
  const char* attributes;
  const plumb_tensor *inputs, *outputs, *bounds;
  void* context;
  double (*number)(void* context, const char* attribute);
  int (*fail)(void* context, const char* text);
  double unit;
} plumb_op_bounds_args;
/* A compute shader for these types: GLSL or SPIR-V, which lives until the next call, workgroups, and push constants.
 * Storage buffers are bound in set 0: operands first, from binding 0 on, then results. Where it sets neither GLSL nor
 * SPIR-V, the device runs the body. */
typedef struct plumb_op_gpu_args {
  uint32_t struct_size, input_count, output_count, flags; /* flags: 0 */
  void* user;
  const char* attributes;
  const plumb_tensor *inputs, *outputs; /* without data */
  void* context;
  double (*number)(void* context, const char* attribute);
  int (*fail)(void* context, const char* text);
  const char* glsl;
  const uint32_t* spirv;
  size_t spirv_count; /* words */
  uint32_t groups[3];
  uint32_t push_count;
  uint32_t push[32];
} plumb_op_gpu_args;

typedef struct plumb_op_v1 {
  uint32_t struct_size;
  uint32_t flags; /* 0 */
  void* user;
  const char* name;   /* has a dot: "acme.swish2" */
  const char* schema; /* JSON: summary, formula, inputs, outputs, attributes, error_class */
  int (*infer)(plumb_op_infer_args* args);
  const char* body; /* the op as plumb.graph/1, which is enough by itself; else cpu is the definition */
  int (*cpu)(plumb_op_cpu_args* args);
  int (*bounds)(plumb_op_bounds_args* args); /* without a body, unless error_class is bits, exact or rounded */
  int (*gpu)(plumb_op_gpu_args* args);
} plumb_op_v1;
PLUMB_API plumb_error* plumb_register_op(const plumb_op_v1* op);

/* What a library for `plumb --ops LIB.so` exports: it hands over each of its ops, and returns 0 or what `take` did. */
typedef struct plumb_ops_args {
  uint32_t struct_size;
  uint32_t abi; /* PLUMB_ABI of the program */
  void* context;
  int (*take)(void* context, const plumb_op_v1* op);
} plumb_ops_args;
int plumb_ops_entry(const plumb_ops_args* args);

#ifdef __cplusplus
}
#endif

#endif
