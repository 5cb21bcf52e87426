// The push constants of the gemm shaders: y = alpha a b + beta c over a
// batch of up to six axes. A shader whose code depends on how the operands lie
// defines TRANSPOSED as a specialization constant with the first two flags.
#ifndef PLUMB_GEMM_GLSL
#define PLUMB_GEMM_GLSL

const uint TRANSPOSE_A = 1u, TRANSPOSE_B = 2u, SCALED = 4u, HAS_C = 8u;
#ifndef TRANSPOSED
#define TRANSPOSED flags
#endif

layout(push_constant) uniform Block {
  uint m, n, k, batches, flags;
  uint batch[6], a_strides[6], b_strides[6];  // in elements, slowest axis first
  uint c_strides[2], alpha[2], beta[2];       // reals as words, the low one first
  uint lda, ldb;                              // leading dimensions, in elements
};

// Where the matrices of product `index` of the batch begin.
uvec2 operands_of(uint index) {
  uvec2 offset = uvec2(0u);
  for (int axis = 5; axis >= 0; --axis) {
    offset += index % batch[axis] * uvec2(a_strides[axis], b_strides[axis]);
    index /= batch[axis];
  }
  return offset;
}

bool is_a_transposed() { return (TRANSPOSED & TRANSPOSE_A) != 0u; }
bool is_b_transposed() { return (TRANSPOSED & TRANSPOSE_B) != 0u; }

uint position_in_a(uint row, uint depth) { return is_a_transposed() ? depth * lda + row : row * lda + depth; }
uint position_in_b(uint depth, uint column) {
  return is_b_transposed() ? column * ldb + depth : depth * ldb + column;
}
uint position_in_c(uint row, uint column) { return row * c_strides[0] + column * c_strides[1]; }

// The first row and column of y in a tile of so many. Eight rows of tiles are numbered together, so that what runs at
// one time shares operands.
uvec2 begin_of_tile(uint tile, uint rows, uint columns) {
  const uint across = (n + columns - 1u) / columns, down = (m + rows - 1u) / rows;
  const uint band = tile / (8u * across), in_band = tile % (8u * across), high = min(8u, down - band * 8u);
  return uvec2((band * 8u + in_band % high) * rows, in_band / high * columns);
}

#endif
