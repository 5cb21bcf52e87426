/* Functions by TVM-FFI's convention that double f32 tensors, one rightly and the others with one fault each. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  int32_t type_index;
  uint32_t padding;
  union {
    int64_t whole;
    double real;
    const void* pointer;
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

typedef struct {
  float *x, *y;
  int64_t count, width;
} Two;

/* The operand and the output; count is 0 where the arguments are others. */
static Two two(const Any* args, int32_t count) {
  Two t = {NULL, NULL, 0, 1};
  if (count != 2 || args[0].type_index != 7 || args[1].type_index != 7) return t;
  const DLTensor* x = args[0].value.pointer;
  const DLTensor* y = args[1].value.pointer;
  if (x->device_type < 1 || x->device_type > 2 || x->code != 2 || x->bits != 32 || x->lanes != 1 || x->ndim != y->ndim) return t;
  t.x = x->data;
  t.y = y->data;
  t.count = 1;
  for (int32_t i = 0; i < x->ndim; ++i) t.count *= x->shape[i];
  if (x->ndim > 0) t.width = x->shape[x->ndim - 1];
  return t;
}

static Two doubled(const Any* args, int32_t count, int64_t but) {
  Two t = two(args, count);
  for (int64_t i = 0; i < t.count - but * t.width; ++i) t.y[i] = 2 * t.x[i];
  return t;
}

static volatile float seen;

int __tvm_ffi_good(void* handle, const Any* args, int32_t count, Any* result) {
  if (handle != NULL || result->type_index != 0) return 1;
  return doubled(args, count, 0).x == NULL;
}
int good(void* handle, const Any* args, int32_t count, Any* result) { return 1; } /* the other name comes first */
int plain(void* handle, const Any* args, int32_t count, Any* result) {
  doubled(args, count, 0);
  return 0;
}
int writes_behind(void* handle, const Any* args, int32_t count, Any* result) {
  Two t = doubled(args, count, 0);
  t.y[t.count] = 1;
  return 0;
}
int writes_before(void* handle, const Any* args, int32_t count, Any* result) {
  doubled(args, count, 0).x[-1] = 1;
  return 0;
}
int reads_behind(void* handle, const Any* args, int32_t count, Any* result) {
  Two t = doubled(args, count, 0);
  seen = t.x[t.count];
  return 0;
}
int reads_far_behind(void* handle, const Any* args, int32_t count, Any* result) {
  Two t = doubled(args, count, 0);
  seen = t.x[t.count + 4];
  return 0;
}
int reads_before(void* handle, const Any* args, int32_t count, Any* result) {
  seen = doubled(args, count, 0).x[-1];
  return 0;
}
int writes_what_is_there(void* handle, const Any* args, int32_t count, Any* result) {
  Two t = doubled(args, count, 0);
  volatile float* behind = t.y + t.count;
  *behind = *behind;
  return 0;
}
int adds_behind(void* handle, const Any* args, int32_t count, Any* result) {
  Two t = doubled(args, count, 0);
  if (t.x[t.count] > t.y[t.count - 1]) t.y[t.count - 1] = t.x[t.count];
  return 0;
}
int leaves_last_row(void* handle, const Any* args, int32_t count, Any* result) {
  doubled(args, count, 1);
  return 0;
}
int changes(void* handle, const Any* args, int32_t count, Any* result) {
  Two t = doubled(args, count, 0);
  t.x[t.count - 1] += 1;
  return 0;
}
int previous(void* handle, const Any* args, int32_t count, Any* result) {
  static float last[4096];
  Two t = two(args, count);
  for (int64_t i = 0; i < t.count && i < 4096; ++i) {
    t.y[i] = last[i];
    last[i] = 2 * t.x[i];
  }
  return 0;
}
/* Keeps the sum of its first input's elements, from whose first it would know it again. */
int caches(void* handle, const Any* args, int32_t count, Any* result) {
  static float kept;
  Two t = doubled(args, count, 0);
  if (t.x[0] != 1) kept = t.x[0];
  t.y[0] += kept;
  return 0;
}
/* Another number from its fourth call on: two on the inputs that are judged, and two on others in between. */
int counts(void* handle, const Any* args, int32_t count, Any* result) {
  static int calls;
  Two t = doubled(args, count, 0);
  if (++calls > 3) t.y[0] += 1;
  return 0;
}
int refuses(void* handle, const Any* args, int32_t count, Any* result) { return -1; }
int crashes(void* handle, const Any* args, int32_t count, Any* result) {
  *(volatile int*)16 = 1;
  return 0;
}
int unaligned(void* handle, const Any* args, int32_t count, Any* result) {
  if ((uintptr_t)two(args, count).x % 64 != 0) return 7;
  doubled(args, count, 0);
  return 0;
}
/* Arguments x0, factor, mode, x0.shape[1], y0. */
int scaled(void* handle, const Any* args, int32_t count, Any* result) {
  if (count != 5 || args[1].type_index != 2 || args[2].type_index != 1 || args[3].type_index != 1) return 1;
  if (args[1].value.whole != 0 || args[2].value.whole != -1 || args[3].value.whole != 4) return 2;
  Any both[2] = {args[0], args[4]};
  doubled(both, 2, 0);
  return 0;
}
