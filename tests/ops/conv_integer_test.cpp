// Convolutions of codes: every geometry in every mixture of dtypes, with zero points and without.
#include "ir/ops/conv_integer.hpp"

#include <gtest/gtest.h>

#include "tests/support/codes.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::conv_integer_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::ConvInteger;
using testing::check_op;
using testing::codes;

struct Case {
  Shape x, w;
  ConvInteger op;
};

TEST(ConvInteger, EveryGeometryAndMixtureOfCodes) {
  const Case cases[] = {
      {{1, 1, 1}, {1, 1, 1}, {}},
      {{2, 5, 31}, {3, 5, 7}, {.strides = {3}, .pads = {6, 2}}},
      {{2, 4, 9, 7}, {6, 2, 3, 2}, {.strides = {1, 2}, .dilations = {2, 1}, .pads = {1, 0, 2, 1}, .group = 2}},
      {{1, 3, 8, 8}, {3, 1, 3, 3}, {.pads = {1, 1, 1, 1}, .group = 3}},
      {{1, 2, 5, 4, 6}, {17, 2, 2, 3, 1}, {.pads = {1, 0, 0, 0, 2, 0}}},
      {{1, 1, 2, 2}, {1, 1, 3, 3}, {.dilations = {2, 2}, .pads = {2, 3, 2, 3}}},
      {{0, 2, 3}, {2, 2, 2}, {}},
      {{1, 0, 3}, {2, 0, 2}, {}},
  };
  std::uint64_t seed = 1;
  for (const Case& c : cases)
    for (const DType of_x : {DType::u8, DType::i8})
      for (const DType of_w : {DType::u8, DType::i8}) {
        SCOPED_TRACE(ir::cat(of_x, c.x, " by ", of_w, c.w));
        const Tensor x = codes(of_x, c.x, seed++), w = codes(of_w, c.w, seed++);
        const Tensor x_zero = codes(of_x, {1}, seed++), w_zero = codes(of_w, {c.w[0]}, seed++);
        ConvInteger op = c.op;
        check_op(op, {x, w});
        op.has_x_zero = true;
        check_op(op, {x, w, x_zero});
        op.has_w_zero = true;
        check_op(op, {x, w, x_zero, w_zero});
        op.has_x_zero = false;
        check_op(op, {x, w, codes(of_w, {}, seed++)});
      }
}

TEST(ConvInteger, LargeTiles) {
  check_op(ConvInteger{.pads = {1, 1, 1, 1}, .has_x_zero = true},
           {codes(DType::u8, {1, 3, 67, 65}, 1), codes(DType::i8, {70, 3, 3, 3}, 2), codes(DType::u8, {}, 3)});
}

/// ONNX's own example, and the zero point that the padding has: as code 0 it would have given −1 for each tap outside.
TEST(ConvInteger, PaddingIsTheZeroPoint) {
  const auto x = Tensor::of<std::uint8_t>({1, 1, 3, 3}, {2, 3, 4, 5, 6, 7, 8, 9, 10});
  const auto w = Tensor::of<std::uint8_t>({1, 1, 2, 2}, {1, 1, 1, 1}), zero = Tensor::of<std::uint8_t>({}, {1});
  const auto expect = [&](const ConvInteger& op, const Tensor& y) {
    testing::check_cpu(op, {x, w, zero}, {y});
    testing::check_gpu(op, {x, w, zero}, {y});
  };
  expect({.has_x_zero = true}, Tensor::of<std::int32_t>({1, 1, 2, 2}, {12, 16, 24, 28}));
  expect({.pads = {1, 1, 1, 1}, .has_x_zero = true},
         Tensor::of<std::int32_t>({1, 1, 4, 4}, {1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9}));
}

TEST(ConvInteger, SumsWrapModulo2To32) {
  Tensor x({DType::u8, {1, 33027, 1}}), w({DType::u8, {1, 33027, 1}});
  std::ranges::fill(x.bytes(), std::byte{255});
  std::ranges::fill(w.bytes(), std::byte{255});
  const auto y = Tensor::of<std::int32_t>({1, 1, 1}, {-2147386621});  // 255·255·33027 − 2^32
  testing::check_cpu(ConvInteger{}, {x, w}, {y});
  testing::check_gpu(ConvInteger{}, {x, w}, {y});
}

}  // namespace
}  // namespace plumb::conv_integer_test
