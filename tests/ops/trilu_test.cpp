#include "ir/ops/trilu.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::trilu_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Trilu;

/// By the definition: what lies beyond the diagonal is 0.
void check(const Trilu& op, const ir::TensorType& type) {
  SCOPED_TRACE(ir::cat(type, op.upper ? " upper " : " lower ", op.diagonal));
  const Tensor x = tests::noise(type);
  Tensor y = x;
  const std::int64_t rows = type.shape[type.shape.size() - 2], columns = type.shape.back();
  const std::size_t width = ir::info(type.dtype).bytes;
  for (std::int64_t k = 0; k < x.elements(); ++k) {
    const std::int64_t i = k / columns % rows, j = k % columns;
    const bool kept = op.upper ? j >= i + op.diagonal : j <= i + op.diagonal;
    if (!kept) std::memset(y.bytes().data() + static_cast<std::size_t>(k) * width, 0, width);
  }
  testing::check_cpu(op, {x}, {y});
  testing::check_gpu(op, {x}, {y});
}

TEST(Trilu, EveryDtype) {
  for (const DType dtype : {DType::boolean, DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32,
                            DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128}) {
    check({true, 1}, {dtype, {3, 5, 7}});
    check({false, -1}, {dtype, {3, 7, 5}});
  }
}

TEST(Trilu, EveryDiagonalOfAThinMatrix) {
  for (const ir::Shape& shape : {ir::Shape{2, 3, 5}, ir::Shape{5, 3}, ir::Shape{1, 4}, ir::Shape{4, 1}})
    for (std::int64_t diagonal = -7; diagonal <= 7; ++diagonal) {
      check({true, diagonal}, {DType::f32, shape});
      check({false, diagonal}, {DType::f32, shape});
    }
}

TEST(Trilu, Shapes) {
  check({}, {DType::f32, {0, 3}});
  check({}, {DType::f32, {2, 3, 0}});
  check({false}, {DType::f16, {2, 1, 2, 1, 2, 1, 17, 19}});
  check({false, 3}, {DType::f32, {257, 1031}});
}

TEST(Trilu, ADiagonalAsFarAsCanBe) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4}), none({DType::f32, {2, 2}});
  const auto both = [&](const Trilu& op, const Tensor& y) {
    testing::check_cpu(op, {x}, {y});
    testing::check_gpu(op, {x}, {y});
  };
  both({true, least}, x);
  both({true, most}, none);
  both({false, least}, none);
  both({false, most}, x);
}

}  // namespace
}  // namespace plumb::trilu_test
