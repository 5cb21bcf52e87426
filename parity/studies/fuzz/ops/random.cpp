// Distributions with the dtypes and numbers that they take.
#include "ir/ops/random.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Random& op, Chooser& choose) {
  using enum ir::ops::RandomDistribution;
  op.shape = choose.numbers(1 + choose.below(3), {1, 2, 3, 16, 17, 33});
  op.low = choose.one_of({-4.0, 0.0});
  op.high = choose.one_of({1.0, 16.0, 1000.0});
  op.probability = choose.one_of({0.0, 0.25, 0.5, 1.0});
  if (op.distribution == bits) op.dtype = ir::DType::u32;
  if (op.distribution == uniform_int) op.dtype = choose.one_of({ir::DType::i32, ir::DType::i64, ir::DType::i16});
  if (op.distribution == uniform || op.distribution == normal)
    op.dtype = choose.one_of({ir::DType::f32, ir::DType::f16, ir::DType::bf16, ir::DType::f64});
}

}  // namespace plumb::parity::studies::fuzz
