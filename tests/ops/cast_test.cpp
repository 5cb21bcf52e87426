#include "ir/ops/cast.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/op_check.hpp"
#include "tests/support/samples.hpp"

namespace plumb::cast_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Cast;
using testing::check_op;

constexpr std::array all_dtypes = {DType::boolean, DType::u8,  DType::i8,  DType::u16, DType::i16,
                                   DType::i32,     DType::u32, DType::i64, DType::f16, DType::bf16,
                                   DType::f32,     DType::f64, DType::c64, DType::c128};

template <class From, class To>
void expect(const std::vector<From>& x, const std::vector<To>& y) {
  const ir::Shape shape = {static_cast<std::int64_t>(x.size())};
  testing::check_cpu(Cast{ir::dtype_of<To>}, {Tensor::of<From>(shape, x)}, {Tensor::of<To>(shape, y)});
  testing::check_gpu(Cast{ir::dtype_of<To>}, {Tensor::of<From>(shape, x)}, {Tensor::of<To>(shape, y)});
}

const float nan = std::numeric_limits<float>::quiet_NaN();
const float inf = std::numeric_limits<float>::infinity();

TEST(Cast, FloatsTruncateAndSaturate) {
  expect<float, std::int32_t>({0.5f, -0.5f, 1.5f, -1.5f, 2.5f, 3e9f, -3e9f, nan, inf, -inf},
                              {0, 0, 1, -1, 2, INT32_MAX, INT32_MIN, 0, INT32_MAX, INT32_MIN});
  expect<float, std::uint8_t>({-1.5f, 255.9f, 256, -0.0f, nan, 1e10f}, {0, 255, 255, 0, 0, 255});
  expect<float, std::int8_t>({-128.9f, -129, 127.5f, 128, -1.9f}, {-128, -128, 127, 127, -1});
  expect<float, std::uint32_t>({4294967040.0f, 4294967296.0f, 3e9f, -1}, {4294967040u, 4294967295u, 3000000000u, 0});
  expect<float, std::int64_t>({9.3e18f, -9.3e18f, 1e18f, nan}, {INT64_MAX, INT64_MIN, 999999984306749440, 0});
  expect<double, std::int64_t>({9007199254740993.0, -0x1p63, 0x1.fffffffffffffp62, 1e300},
                               {9007199254740992, INT64_MIN, 9223372036854774784, INT64_MAX});
}

TEST(Cast, IntegersWrapAndRoundToEven) {
  expect<std::int32_t, std::uint8_t>({256, -1, 300, -300}, {0, 255, 44, 212});
  expect<std::int64_t, std::int32_t>({INT64_MAX, INT64_MIN, 1ll << 32 | 5}, {-1, 0, 5});
  expect<std::int8_t, std::uint32_t>({-1}, {0xFFFFFFFFu});
  expect<std::int32_t, float>({16777215, 16777217, 16777219, -16777217}, {16777215, 16777216, 16777220, -16777216});
  expect<std::int64_t, float>({INT64_MAX, (1ll << 40) + (1ll << 16) + 1}, {0x1p63f, 0x1.000002p40f});
  expect<std::int32_t, ir::bf16>({0x01010001, 0x01010000, 0x01030000},  // just above a tie of bf16, at one, at the next
                                 {ir::bf16(16908288.0), ir::bf16(16777216.0), ir::bf16(17039360.0)});
}

TEST(Cast, BoolsAskForZero) {
  const auto bools = [](std::initializer_list<unsigned char> bytes) {
    return Tensor(
        ir::TensorView({DType::boolean, {static_cast<std::int64_t>(bytes.size())}}, std::as_bytes(std::span(bytes))));
  };
  const auto x = Tensor::of<float>({6}, {0, -0.0f, 1e-45f, nan, -inf, 0.5f});
  testing::check_cpu(Cast{DType::boolean}, {x}, {bools({0, 0, 1, 1, 1, 1})});
  testing::check_gpu(Cast{DType::boolean}, {x}, {bools({0, 0, 1, 1, 1, 1})});
}

/// Both sides of every tie between floats of 16 bits, and the thresholds of overflow.
TEST(Cast, DoublesRoundOnceTo16Bits) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor codes = ir::convert(testing::all_codes(dtype), DType::f64);
    std::vector<double> around;
    for (std::size_t k = 0; k + 1 < 0x10000; ++k) {
      const double low = codes.as<double>()[k], high = codes.as<double>()[k + 1], tie = low / 2 + high / 2;
      if (!std::isfinite(tie)) continue;
      for (const double x : {tie, std::nextafter(tie, 1e300), std::nextafter(tie, -1e300), tie * (1 + 0x1p-30)})
        around.push_back(x);
    }
    for (const double x : {65519.996, 65520.0, 0x1.ffp127, 0x1.fefffffffffffp127, 0x1p-134, 0x1.8p-134, 1e-320, 1e300})
      around.push_back(x);
    check_op(Cast{dtype}, {Tensor::of<double>({static_cast<std::int64_t>(around.size())}, around)});
  }
}

/// From each dtype to each: every code of the narrow ones, edges of the others.
TEST(Cast, EveryPairAgreesOnBothExecutors) {
  for (const DType from : all_dtypes)
    for (const DType to : all_dtypes) {
      if (ir::is_complex(from) && !ir::is_complex(to)) continue;  // C1
      const bool narrow = from == DType::f16 || from == DType::bf16;
      const Tensor x = from == DType::boolean || ir::is_complex(from) ? testing::random_tensor({from, {1021}}, 1)
                       : ir::is_integer(from)                         ? testing::integer_samples(from)
                       : narrow                                       ? testing::all_codes(from)
                                                                      : ir::convert(testing::f32_samples(20000), from);
      check_op(Cast{to}, {x});
    }
}

TEST(Cast, KeepsShapesOfAnyRank) {
  for (const ir::Shape& shape : {ir::Shape{}, {1}, {0, 3}, {2, 1, 3, 1, 2, 1, 3, 1}, {513, 7}})
    check_op(Cast{DType::f16}, {testing::random_tensor({DType::f32, shape}, 1)});
}

}  // namespace
}  // namespace plumb::cast_test
