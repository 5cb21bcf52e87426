// Boxes whose place is an operand, read and written, against loops over the definition.
#include <gtest/gtest.h>

#include <cstring>

#include "ir/ops/dynamic_slice.hpp"
#include "ir/ops/dynamic_update_slice.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::dynamic_box_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::DynamicSlice;
using ir::ops::DynamicUpdateSlice;

Tensor starts_of(DType dtype, const std::vector<std::int64_t>& starts) {
  Tensor made({dtype, {static_cast<std::int64_t>(starts.size())}});
  ir::visit_index(dtype, [&]<class T>(T) {
    for (std::size_t k = 0; k < starts.size(); ++k) made.as<T>()[k] = static_cast<T>(starts[k]);
  });
  return made;
}

/// Where in x element k of the box is.
std::int64_t place(std::int64_t k, const ir::Shape& x, const ir::Shape& box, const std::vector<std::int64_t>& starts) {
  std::int64_t at = 0, stride = 1;
  for (std::size_t axis = x.size(); axis-- > 0;) {
    const std::int64_t start = std::clamp<std::int64_t>(starts[axis], 0, x[axis] - box[axis]);
    at += (start + k % box[axis]) * stride;
    k /= box[axis];
    stride *= x[axis];
  }
  return at;
}

void check(DType dtype, const ir::Shape& shape, const ir::Shape& box, const std::vector<std::int64_t>& starts,
           DType index = DType::i64) {
  SCOPED_TRACE(ir::cat(dtype, shape, " box ", box));
  const Tensor x = tests::noise({dtype, shape}), update = tests::noise({dtype, box}, 2);
  const Tensor at = starts_of(index, starts);
  Tensor taken({dtype, box}), replaced = x;
  const std::size_t width = ir::info(dtype).bytes;
  for (std::int64_t k = 0; k < taken.elements(); ++k) {
    const std::size_t here = static_cast<std::size_t>(k) * width;
    const std::size_t there = static_cast<std::size_t>(place(k, shape, box, starts)) * width;
    std::memcpy(taken.bytes().data() + here, x.bytes().data() + there, width);
    std::memcpy(replaced.bytes().data() + there, update.bytes().data() + here, width);
  }
  testing::check_bytes(DynamicSlice{box}, {x, at}, taken);
  testing::check_bytes(DynamicUpdateSlice{}, {x, update, at}, replaced);
}

TEST(DynamicBox, EveryDtype) {
  for (const DType dtype : {DType::boolean, DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32,
                            DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128})
    check(dtype, {3, 7, 5}, {2, 3, 5}, {1, 3, 0}, DType::i32);
}

TEST(DynamicBox, StartsAnywhere) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t start : {least, std::int64_t{-4294967297}, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                                   std::int64_t{4}, std::int64_t{5}, std::int64_t{4294967296}, most})
    check(DType::f32, {9, 4}, {5, 4}, {start, 0});
  for (const std::int64_t start : {-2147483647, -1, 3, 2147483647})
    check(DType::f16, {9, 4}, {5, 3}, {start, start}, DType::i32);
}

TEST(DynamicBox, Shapes) {
  check(DType::f32, {}, {}, {});
  check(DType::f32, {7}, {7}, {3});           // the whole
  check(DType::f32, {5, 6}, {0, 3}, {1, 1});  // a box of nothing
  check(DType::f32, {0, 6}, {0, 3}, {1, 1});
  check(DType::i8, {2, 1, 3, 1, 2, 3, 2, 5}, {1, 1, 2, 1, 2, 2, 1, 3}, {1, 0, 1, 0, 0, 1, 0, 2});
  check(DType::bf16, {131, 257}, {67, 129}, {61, 127});
  check(DType::f32, {3, 1031, 64}, {2, 1000, 64}, {0, 30, 0});
}

/// ops.md K.2.
TEST(DynamicBox, WhatTheContractListsByHand) {
  const Tensor x = Tensor::of<float>({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (const auto& [start, first] : {std::pair{-3, 0.0f}, std::pair{8, 6.0f}, std::pair{2147483647, 6.0f}}) {
    const Tensor y = Tensor::of<float>({4}, {first, first + 1, first + 2, first + 3});
    testing::check_bytes(DynamicSlice{{4}}, {x, starts_of(DType::i32, {start})}, y);
  }
}

}  // namespace
}  // namespace plumb::dynamic_box_test
