// Products of codes: sums of whole numbers by plain loops, in every mixture of dtypes and form of zero points.
#include "ir/ops/matmul_integer.hpp"

#include <gtest/gtest.h>

#include "tests/support/codes.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::matmul_integer_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::MatmulInteger;
using testing::check_op;
using testing::codes;

void check_both(const MatmulInteger& op, const std::vector<Tensor>& in, const Tensor& expected) {
  testing::check_cpu(op, in, {expected});
  testing::check_gpu(op, in, {expected});
}

struct Case {
  Shape a, b, a_zero, b_zero;
};

TEST(MatmulInteger, EveryMixtureOfCodesAndZeroPoints) {
  const Case cases[] = {
      {{1, 1}, {1, 1}, {}, {1}},
      {{17, 15}, {15, 16}, {17}, {16}},
      {{7, 300}, {300, 1}, {7, 1}, {1, 1}},
      {{2, 1, 5, 7}, {3, 7, 6}, {2, 1, 5, 1}, {3, 1, 6}},
      {{4, 9, 5}, {5, 3}, {4, 1, 1}, {3}},
      {{4, 9, 5}, {5, 3}, {}, {1, 3}},
      {{3, 0}, {0, 2}, {3}, {2}},
      {{0, 3}, {3, 2}, {0}, {1}},
  };
  std::uint64_t seed = 1;
  for (const Case& c : cases)
    for (const DType of_a : {DType::u8, DType::i8})
      for (const DType of_b : {DType::u8, DType::i8}) {
        SCOPED_TRACE(ir::cat(of_a, c.a, " by ", of_b, c.b));
        const Tensor a = codes(of_a, c.a, seed++), b = codes(of_b, c.b, seed++);
        const Tensor a_zero = codes(of_a, c.a_zero, seed++), b_zero = codes(of_b, c.b_zero, seed++);
        check_op(MatmulInteger{}, {a, b});
        check_op(MatmulInteger{.has_a_zero = true}, {a, b, a_zero});
        check_op(MatmulInteger{.has_b_zero = true}, {a, b, b_zero});
        check_op(MatmulInteger{true, true}, {a, b, a_zero, b_zero});
      }
}

TEST(MatmulInteger, LargeTilesOfSeveralProducts) {
  check_op(MatmulInteger{true, true}, {codes(DType::u8, {17, 130, 33}, 1), codes(DType::i8, {33, 129}, 2),
                                       codes(DType::u8, {17, 130, 1}, 3), codes(DType::i8, {129}, 4)});
}

TEST(MatmulInteger, SumsWrapModulo2To32) {
  const Tensor most({DType::u8, {1, 33027}});
  Tensor a = most, b({DType::u8, {33027, 1}});
  std::ranges::fill(a.bytes(), std::byte{255});
  std::ranges::fill(b.bytes(), std::byte{255});
  check_both({}, {a, b}, Tensor::of<std::int32_t>({1, 1}, {-2147386621}));  // 255·255·33027 − 2^32
  // A zero point of 255 turns a row of zeros into one of −255.
  check_both({.has_a_zero = true}, {most, b, Tensor::of<std::uint8_t>({1}, {255})},
             Tensor::of<std::int32_t>({1, 1}, {2147386621}));
}

TEST(MatmulInteger, CodesAtTheirEnds) {
  const auto least = Tensor::of<std::int8_t>({1, 2}, {-128, 127});
  const auto column = Tensor::of<std::int8_t>({2, 1}, {-128, 127});
  check_both({}, {least, column}, Tensor::of<std::int32_t>({1, 1}, {16384 + 16129}));
  check_both({true, true}, {least, column, Tensor::of<std::int8_t>({}, {127}), Tensor::of<std::int8_t>({1, 1}, {-128})},
             Tensor::of<std::int32_t>({1, 1}, {0}));  // -255 times 0, and 0 times 255
}

}  // namespace
}  // namespace plumb::matmul_integer_test
