#include "ir/ops/one_hot.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::one_hot_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::OneHot;
using testing::check_cpu;
using testing::check_gpu;

TEST(OneHot, IndicesOutsideAreNowhere) {
  const auto values = Tensor::of<float>({2}, {-1, 2});
  const auto y = Tensor::of<float>({6, 3}, {-1, 2, -1, -1, -1, 2, 2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1});
  const auto i32 = Tensor::of<std::int32_t>({6}, {1, -1, -3, 3, -4, 1 << 30});
  constexpr auto far = std::int64_t{1} << 32;
  const auto i64 = Tensor::of<std::int64_t>({6}, {1, -1, -3, far + 1, far - 1, -far});
  for (const Tensor& indices : {i32, i64}) {
    check_cpu(OneHot{3}, {indices, values}, {y});
    check_gpu(OneHot{3}, {indices, values}, {y});
  }
}

/// Element by element: on where the coordinate along the axis is the index.
void check(const OneHot& op, const ir::Shape& shape, DType index, DType dtype) {
  const Tensor indices = testing::random_tensor({index, shape}, 1,
                                                {.distribution = ir::Distribution::uniform_int,
                                                 .low = -static_cast<double>(op.depth) - 2,
                                                 .high = static_cast<double>(op.depth) + 2});
  const Tensor values = tests::noise({dtype, {2}});
  Tensor y(ir::infer(op, std::vector{indices.type(), values.type()}).front());
  SCOPED_TRACE(ir::cat(indices.type(), ' ', y.type(), " axis ", op.axis));
  const std::size_t width = ir::info(dtype).bytes, axis = y.shape().axis(op.axis);
  for (std::int64_t k = 0; k < y.elements(); ++k) {
    std::int64_t rest = k, at = 0, coordinate = 0, stride = 1;
    for (std::size_t a = y.shape().size(); a-- > 0; rest /= y.shape()[a]) {
      if (a == axis) {
        coordinate = rest % y.shape()[a];
      } else {
        at += rest % y.shape()[a] * stride;
        stride *= y.shape()[a];
      }
    }
    const auto i = static_cast<std::size_t>(at);
    std::int64_t wanted = index == DType::i32 ? indices.as<std::int32_t>()[i] : indices.as<std::int64_t>()[i];
    if (wanted < 0) wanted += op.depth;
    std::memcpy(y.bytes().data() + static_cast<std::size_t>(k) * width,
                values.bytes().data() + (wanted == coordinate ? width : 0), width);
  }
  check_cpu(op, {indices, values}, {y});
  check_gpu(op, {indices, values}, {y});
}

TEST(OneHot, EveryDtype) {
  for (const DType dtype : {DType::boolean, DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32,
                            DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128})
    for (const DType index : {DType::i32, DType::i64}) check({7, 1}, {5, 3}, index, dtype);
}

TEST(OneHot, EveryAxisAndShape) {
  for (const std::int64_t axis : {0, 1, 2, 3, -1, -2, -3, -4}) check({5, axis}, {2, 3, 7}, DType::i32, DType::f32);
  check({3}, {}, DType::i64, DType::f32);
  check({1, 0}, {4}, DType::i64, DType::u8);
  check({3}, {0, 2}, DType::i32, DType::f32);
  check({1009, 1}, {67, 3}, DType::i32, DType::u8);
  check({2, 3}, {2, 1, 2, 3, 2, 1, 2}, DType::i64, DType::f16);
}

}  // namespace
}  // namespace plumb::one_hot_test
