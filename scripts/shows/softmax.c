/* Softmax along the last axis, by TVM-FFI's convention: a function that needs no library but the C library's, so that a
   check of it costs what a check costs. */
#include <math.h>
#include <stdint.h>

typedef struct {
  int32_t type_index;
  uint32_t padding;
  const void* pointer;
} Any;

typedef struct {
  float* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t* shape;
  const int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

int softmax(void* handle, const Any* arguments, int32_t count, Any* result) {
  (void)handle, (void)result;
  if (count != 2) return 1;
  const DLTensor *x = arguments[0].pointer, *y = arguments[1].pointer;
  if (x->code != 2 || x->bits != 32 || x->ndim < 1) return 1;
  int64_t rows = 1;
  const int64_t width = x->shape[x->ndim - 1];
  for (int32_t axis = 0; axis + 1 < x->ndim; ++axis) rows *= x->shape[axis];
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = x->data + row * width;
    float* to = y->data + row * width;
    float most = -INFINITY;
    double sum = 0;
    for (int64_t i = 0; i < width; ++i) most = fmaxf(most, from[i]);
    for (int64_t i = 0; i < width; ++i) sum += exp((double)from[i] - most);
    for (int64_t i = 0; i < width; ++i) to[i] = (float)(exp((double)from[i] - most) / sum);
  }
  return 0;
}
