#include "ir/ops/range.hpp"

#include <gtest/gtest.h>

#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::range_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Range;

void check(const Range& op, const Tensor& y) {
  testing::check_cpu(op, {}, {y});
  testing::check_gpu(op, {}, {y});
}

TEST(Range, RoundsOnce) {
  check({0.1, 0.1, 3}, Tensor::of<float>({3}, {0.1f, 0.2f, static_cast<float>(0.1 + 2 * 0.1)}));
  check({1, -0.25, 5, DType::f64}, Tensor::of<double>({5}, {1, 0.75, 0.5, 0.25, 0}));
  // 2049 is half way between two f16, 2051 too: to even.
  check({2048, 1, 4, DType::f16},
        Tensor::of<ir::f16>({4}, {ir::f16(2048.0f), ir::f16(2048.0f), ir::f16(2050.0f), ir::f16(2052.0f)}));
  check({65519, 1, 2, DType::f16}, Tensor::of<ir::f16>({2}, {ir::f16(65504.0f), ir::f16(65520.0f)}));  // overflows
  check({0, 0x1p-9, 3, DType::bf16}, Tensor::of<ir::bf16>({3}, {ir::bf16(0.0f), ir::bf16(0x1p-9f), ir::bf16(0x1p-8f)}));
}

TEST(Range, IntegersWrap) {
  check({250, 3, 4, DType::u8}, Tensor::of<std::uint8_t>({4}, {250, 253, 0, 3}));
  check({100, 20, 3, DType::i8}, Tensor::of<std::int8_t>({3}, {100, 120, -116}));
  check({-2, 5, 3, DType::i16}, Tensor::of<std::int16_t>({3}, {-2, 3, 8}));
  check({3, -2, 4, DType::i32}, Tensor::of<std::int32_t>({4}, {3, 1, -1, -3}));
  check({1, -1, 3, DType::u32}, Tensor::of<std::uint32_t>({3}, {1, 0, 4294967295u}));
  check({0x1p62, 0x1p61, 3, DType::i64},
        Tensor::of<std::int64_t>({3}, {std::int64_t{1} << 62, (std::int64_t{1} << 62) + (std::int64_t{1} << 61),
                                       std::numeric_limits<std::int64_t>::min()}));
}

TEST(Range, LengthsOfNoneAndMany) {
  check({5, 1, 0}, Tensor({DType::f32, {0}}));
  std::vector<std::int32_t> many(70001);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = 3 * static_cast<std::int32_t>(i) - 7;
  check({-7, 3, 70001, DType::i32}, Tensor::of<std::int32_t>({70001}, many));
}

}  // namespace
}  // namespace plumb::range_test
