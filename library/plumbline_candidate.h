/* The interface of a plugin that plumb judges (docs/foreign_backends.md): C99 and C++.
 *
 * A plugin is a shared library that exports `plumb_candidate_entry`. plumb loads it in a process of its own and makes
 * all calls from one thread. Every struct begins with `struct_size`: whoever fills one sets it to the size that he was
 * compiled with, and a field beyond it counts as 0. Memory never changes owner: what a call is given is valid until it
 * returns, and what a plugin hands over is copied before the function that takes it returns. */
#ifndef PLUMBLINE_CANDIDATE_H
#define PLUMBLINE_CANDIDATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLUMB_CANDIDATE_ABI 1u

/* Returned by every call that can fail, after host->fail(host, text) where it is not PLUMB_OK. */
enum { PLUMB_OK = 0, PLUMB_UNSUPPORTED = 1, PLUMB_ERROR = 2, PLUMB_DEVICE_FAILED = 3 };

enum plumb_dtype {
  PLUMB_BOOL = 1, /* one byte each, 0 or 1 */
  PLUMB_U8 = 2,
  PLUMB_I8 = 3,
  PLUMB_I16 = 4,
  PLUMB_I32 = 5,
  PLUMB_U32 = 6,
  PLUMB_I64 = 7,
  PLUMB_F16 = 8,
  PLUMB_BF16 = 9,
  PLUMB_F32 = 10,
  PLUMB_F64 = 11,
  PLUMB_C64 = 12,
  PLUMB_C128 = 13,
  PLUMB_U16 = 14
};

/* A tensor in row-major order, little-endian, in memory of the host. */
typedef struct plumb_candidate_tensor {
  uint32_t struct_size;
  int32_t dtype; /* enum plumb_dtype */
  int32_t rank;
  const int64_t* shape;
  const void* data;
  size_t bytes;
  const char* name; /* UTF-8: the value of the model */
} plumb_candidate_tensor;

/* The type of a value. */
typedef struct plumb_candidate_value {
  uint32_t struct_size;
  int32_t dtype, rank;
  const int64_t* shape;
  const char* name;
} plumb_candidate_value;

/* What a plugin may call. */
typedef struct plumb_candidate_host {
  uint32_t struct_size;
  /* Keeps the text of a failure, which plumb shows. */
  void (*fail)(const struct plumb_candidate_host* host, const char* text);
} plumb_candidate_host;

typedef struct plumb_candidate_create_args {
  uint32_t struct_size;
  const plumb_candidate_host* host; /* valid until destroy */
  const char* args;                 /* what the user wrote behind the library: "threads=1,opt=all", or "" */
  void* self;                       /* out */
} plumb_candidate_create_args;

typedef struct plumb_candidate_describe_args {
  uint32_t struct_size;
  void* self;
  const char* json; /* out: {"name": ..., "version": ..., "device": ..., "models": ["onnx"], ...}; valid until the next
                       call. "serves": false has the plugin loaded anew for each request */
} plumb_candidate_describe_args;

typedef struct plumb_candidate_supports_args {
  uint32_t struct_size;
  void* self;
  const char* node; /* one node as plumb.graph/1, with its types */
} plumb_candidate_supports_args;

typedef struct plumb_candidate_compile_args {
  uint32_t struct_size;
  void* self;
  const char* onnx;  /* path of the model, NULL where there is none */
  const char* graph; /* path of the graph as plumb.graph/1 */
  const char* taps;  /* "results", "surviving" or "all" */
  const plumb_candidate_value* results;
  size_t result_count;
  const plumb_candidate_value* wanted; /* values that plumb asks for besides, as far as they can be had */
  size_t wanted_count;
  void* executable; /* out */
} plumb_candidate_compile_args;

/* Takes what a run computed. */
typedef struct plumb_candidate_sink {
  uint32_t struct_size;
  void* context;
  int (*wants)(void* context, const char* name); /* 1: plumb looks at this value */
  void (*value)(void* context, const plumb_candidate_tensor* tensor);
  /* The kernel that made a value, its nanoseconds (0: not known), and how it adds, as JSON (docs/foreign_backends.md;
   * NULL: it does not say). */
  void (*node)(void* context, const char* value, const char* kernel, uint64_t nanoseconds, const char* sums);
} plumb_candidate_sink;

typedef struct plumb_candidate_run_args {
  uint32_t struct_size;
  void* self;
  void* executable;
  const plumb_candidate_tensor* inputs;
  size_t input_count;
  const plumb_candidate_sink* sink;
} plumb_candidate_run_args;

typedef struct plumb_candidate_v1 {
  uint32_t struct_size, abi;
  int (*create)(plumb_candidate_create_args* args);
  int (*describe)(plumb_candidate_describe_args* args);
  int (*supports)(plumb_candidate_supports_args* args); /* NULL: whatever compile takes */
  int (*compile)(plumb_candidate_compile_args* args);
  int (*run)(plumb_candidate_run_args* args);
  void (*release)(void* self, void* executable);
  void (*destroy)(void* self);
} plumb_candidate_v1;

/* Exported by the plugin. Returns NULL where it knows no interface as old as `newest_abi`. */
const plumb_candidate_v1* plumb_candidate_entry(uint32_t newest_abi);

#ifdef __cplusplus
}
#endif

#endif
