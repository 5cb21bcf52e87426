// Windows of lines, taken apart and added up again, against loops over the definition.
#include <gtest/gtest.h>

#include <cstring>

#include "ir/ops/frame.hpp"
#include "ir/ops/overlap_add.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::framing_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Frame;
using ir::ops::OverlapAdd;

/// Every byte of every window is that of the sample that it names.
void check(const Frame& op, const ir::TensorType& type) {
  SCOPED_TRACE(ir::cat(type, " size ", op.size, " hop ", op.hop));
  const Tensor x = tests::noise(type);
  const ir::TensorType types[] = {type};
  Tensor y(op.infer(types)[0]);
  const std::size_t width = ir::info(type.dtype).bytes;
  const std::int64_t length = type.shape.back(), windows = y.shape()[y.shape().size() - 2];
  for (std::int64_t k = 0; k < y.elements(); ++k) {
    const std::int64_t i = k % op.size, f = k / op.size % windows, line = k / op.size / windows;
    const auto from = static_cast<std::size_t>(line * length + f * op.hop + i);
    std::memcpy(y.bytes().data() + static_cast<std::size_t>(k) * width, x.bytes().data() + from * width, width);
  }
  testing::check_bytes(op, {x}, y);
}

TEST(Framing, EveryDtype) {
  for (const DType dtype : {DType::boolean, DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32,
                            DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128})
    check({5, 3}, {dtype, {3, 17}});
}

TEST(Framing, WindowsOfEveryKind) {
  check({1, 1}, {DType::f32, {1}});
  check({7, 1}, {DType::f32, {7}});                                            // one window, the whole line
  check({7, std::numeric_limits<std::int64_t>::max()}, {DType::f32, {2, 9}});  // a hop that is never taken
  check({4, 4}, {DType::f16, {2, 16}});                                        // side by side: nothing moves
  check({2, 5}, {DType::bf16, {3, 31}});                                       // with gaps between
  check({64, 1}, {DType::f32, {257}});
  check({3, 2}, {DType::f32, {0, 9}});
  check({400, 160}, {DType::f32, {2, 1, 3, 4001}});
  check({2, 1}, {DType::u8, {16777}});
}

TEST(OverlapAdd, MeetsTheTruth) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64})
    for (const auto& [shape, hop, extra] :
         {std::tuple{ir::Shape{1, 1}, 1, 0}, std::tuple{ir::Shape{3, 7, 5}, 2, 1}, std::tuple{ir::Shape{2, 1, 9}, 4, 3},
          std::tuple{ir::Shape{129, 64}, 16, 0}, std::tuple{ir::Shape{2, 5, 3}, 7, 11}}) {
      const std::int64_t windows = shape[shape.size() - 2], size = shape.back();
      testing::check_op(OverlapAdd{hop, (windows - 1) * hop + size + extra},
                        {testing::random_tensor({dtype, shape}, 1)});
    }
}

TEST(OverlapAdd, MoreTermsThanAChunk) {
  testing::check_op(OverlapAdd{1, 1100}, {testing::random_tensor({DType::f32, {601, 500}}, 2)});
}

TEST(OverlapAdd, WhatNoWindowCovers) {
  const auto both = [](const OverlapAdd& op, const Tensor& x, const Tensor& y) {
    testing::check_cpu(op, {x}, {y});
    testing::check_gpu(op, {x}, {y});
  };
  both({3, 6}, Tensor::of<float>({2, 1}, {1, 2}), Tensor::of<float>({6}, {1, 0, 0, 2, 0, 0}));
  both({1, 4}, Tensor({DType::f32, {3, 0}}), Tensor({DType::f32, {4}}));  // windows of nothing
  both({1, 0}, Tensor({DType::f32, {1, 0}}), Tensor({DType::f32, {0}}));
  both({2, 5}, Tensor({DType::f16, {0, 2, 3}}), Tensor({DType::f16, {0, 5}}));
  constexpr float inf = std::numeric_limits<float>::infinity();
  both({1, 3}, Tensor::of<float>({2, 2}, {inf, 1, -inf, 2}), Tensor::of<float>({3}, {inf, -inf, 2}));
}

/// ops.md 1.11, E6 and E9: what 16 bits hold is decided once, of the whole sum.
TEST(OverlapAdd, RoundsOnce) {
  const auto sums = [](DType dtype, const std::vector<std::array<float, 3>>& given) {
    std::vector<float> windows, lines;  // a line is two windows whose overlap is one sample
    for (const auto& [a, b, sum] : given) {
      windows.insert(windows.end(), {0, a, b, 0});
      lines.insert(lines.end(), {0, sum, 0});
    }
    const auto count = static_cast<std::int64_t>(given.size());
    testing::check_bytes(OverlapAdd{1, 3}, {ir::convert(Tensor::of<float>({count, 2, 2}, windows), dtype)},
                         ir::convert(Tensor::of<float>({count, 3}, lines), dtype));
  };
  constexpr float inf = std::numeric_limits<float>::infinity();
  sums(DType::f16,
       {{65504, 15, 65504}, {65504, 16, inf}, {2048, 1, 2048}, {2050, 1, 2052}, {0x1p-24f, 0x1p-24f, 0x1p-23f}});
  sums(DType::bf16, {{256, 1, 256}, {258, 1, 260}, {0x1.fep127f, 0x1p119f, inf}, {-0.0f, -0.0f, 0}});
  sums(DType::f32, {{16777216, 1, 16777216}, {16777218, 1, 16777220}, {0x1.fffffep127f, 0x1p103f, inf}});
}

TEST(OverlapAdd, UndoesFrame) {
  // Windows side by side are the line itself.
  const Tensor line = Tensor::of<float>({2, 6}, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6});
  const Tensor windows = Tensor::of<float>({2, 2, 3}, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6});
  testing::check_cpu(Frame{3, 3}, {line}, {windows});
  testing::check_cpu(OverlapAdd{3, 6}, {windows}, {line});
  testing::check_gpu(OverlapAdd{3, 6}, {windows}, {line});
}

/// ops.md K.2.
TEST(Framing, WhatTheContractListsByHand) {
  const Tensor line = Tensor::of<float>({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor rows = Tensor::of<float>({3, 4}, {0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9});
  testing::check_bytes(Frame{4, 3}, {line}, rows);
  const Tensor ones = Tensor::of<float>({3, 4}, std::vector<float>(12, 1));
  const Tensor sums = Tensor::of<float>({11}, {1, 1, 1, 2, 1, 1, 2, 1, 1, 1, 0});
  testing::check_cpu(OverlapAdd{3, 11}, {ones}, {sums});
  testing::check_gpu(OverlapAdd{3, 11}, {ones}, {sums});
}

}  // namespace
}  // namespace plumb::framing_test
