#include "ir/ops/where.hpp"

#include <gtest/gtest.h>

#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::where_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Where;
using testing::check_op;
using testing::random_tensor;

constexpr std::array all_dtypes = {DType::boolean, DType::u8,  DType::i8,  DType::u16, DType::i16,
                                   DType::i32,     DType::u32, DType::i64, DType::f16, DType::f32,
                                   DType::bf16,    DType::f64, DType::c64, DType::c128};

TEST(Where, TheOtherValueHasNoInfluence) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto cond = Tensor(ir::TensorView({DType::boolean, {4}}, std::as_bytes(std::span("\1\0\1\0", 4))));
  const auto a = Tensor::of<float>({4}, {1, nan, 3, inf}), b = Tensor::of<float>({4}, {nan, 2, -inf, -0.0f});
  const auto y = Tensor::of<float>({4}, {1, 2, 3, -0.0f});
  testing::check_cpu(Where{}, {cond, a, b}, {y});
  testing::check_gpu(Where{}, {cond, a, b}, {y});
}

TEST(Where, EveryDtypeIsSelectedBitByBit) {
  for (const DType dtype : all_dtypes)
    for (const std::int64_t n : {1, 3, 1031}) {
      const auto cond = random_tensor({DType::boolean, {n}}, 1);
      check_op(Where{}, {cond, tests::noise({dtype, {n}}, 2), tests::noise({dtype, {n}}, 3)});
    }
}

TEST(Where, ThreeOperandsBroadcast) {
  struct Shapes {
    ir::Shape cond, a, b;
  };
  const Shapes cases[] = {{{5, 1}, {1, 8}, {}},
                          {{3, 1, 1}, {1, 4, 1}, {1, 1, 8}},
                          {{}, {2, 7}, {7}},
                          {{2, 3, 8}, {}, {}},
                          {{1, 1, 6, 6}, {2, 3, 6, 6}, {}},
                          {{7}, {7}, {1}},
                          {{2, 1, 4}, {2, 3, 1}, {3, 4}},
                          {{0, 3}, {1, 3}, {3}},
                          {{}, {}, {}},
                          {{2, 1, 2, 1, 2, 1, 2, 1}, {1, 3, 1, 3, 1, 3, 1, 3}, {2, 3, 1, 1, 2, 3, 1, 1}}};
  for (const auto& [cond, a, b] : cases)
    for (const DType dtype : {DType::f32, DType::f16, DType::u8, DType::i64, DType::c128})
      check_op(Where{},
               {random_tensor({DType::boolean, cond}, 1), random_tensor({dtype, a}, 2), random_tensor({dtype, b}, 3)});
}

}  // namespace
}  // namespace plumb::where_test
