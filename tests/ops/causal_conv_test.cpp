// Causal convolution against its definition: chunks and states of every length, and two chunks that are one.
#include "ir/ops/causal_conv.hpp"

#include <gtest/gtest.h>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::causal_conv_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::CausalActivation;
using ir::ops::CausalConv;

struct Size {
  std::int64_t batch, channels, length, taps;
};

std::vector<Tensor> operands_of(const CausalConv& op, DType dtype, const Size& size) {
  std::vector<Tensor> in = {testing::random_tensor({dtype, {size.batch, size.channels, size.length}}, 1),
                            testing::random_tensor({dtype, {size.channels, 1, size.taps}}, 2)};
  if (op.has_bias) in.push_back(testing::random_tensor({dtype, {size.channels}}, 3));
  if (op.has_state) in.push_back(testing::random_tensor({dtype, {size.batch, size.channels, size.taps - 1}}, 4));
  return in;
}

TEST(CausalConv, EveryDtypeWithAndWithout) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64})
    for (const CausalConv& op : {CausalConv{}, CausalConv{CausalActivation::silu, true, true}})
      testing::check_op(op, operands_of(op, dtype, {2, 5, 23, 4}));
  for (const CausalConv& op : {CausalConv{CausalActivation::silu}, CausalConv{CausalActivation::none, true, false},
                               CausalConv{CausalActivation::none, false, true}})
    testing::check_op(op, operands_of(op, DType::f32, {2, 5, 23, 4}));
}

TEST(CausalConv, SizesOfEveryKind) {
  for (const Size& size : {Size{1, 1, 1, 1},
                           {1, 3, 5, 1},
                           {2, 2, 1, 4},
                           {2, 3, 2, 7},
                           {1, 2, 3, 4},
                           {3, 1, 127, 3},
                           {1, 131, 129, 4},
                           {1, 2, 1025, 2}})
    for (const bool has_state : {false, true}) {
      const CausalConv op{CausalActivation::none, false, has_state};
      testing::check_op(op, operands_of(op, DType::f32, size));
    }
}

TEST(CausalConv, MoreTapsThanAChunk) {
  for (const auto activation : {CausalActivation::none, CausalActivation::silu}) {
    const CausalConv op{activation, true, true};
    testing::check_op(op, operands_of(op, DType::f32, {1, 3, 70, 513}));
  }
}

void both(const CausalConv& op, const std::vector<Tensor>& in, const std::vector<Tensor>& expected) {
  testing::check_cpu(op, in, expected);
  testing::check_gpu(op, in, expected);
}

TEST(CausalConv, WhatIsEmpty) {
  const CausalConv op{CausalActivation::none, false, true};
  const Tensor w = Tensor::of<float>({1, 1, 3}, {1, 10, 100}), none({DType::f32, {1, 1, 0}});
  const Tensor state = Tensor::of<float>({1, 1, 2}, {7, 8});
  both(op, {none, w, state}, {none, state});  // a chunk of nothing hands its state on
  both({}, {none, w}, {none, Tensor::of<float>({1, 1, 2}, {0, 0})});
  both({}, {Tensor::of<float>({1, 1, 2}, {3, 4}), Tensor::of<float>({1, 1, 1}, {2})},
       {Tensor::of<float>({1, 1, 2}, {6, 8}), none});
  both({}, {Tensor({DType::f16, {0, 2, 5}}), Tensor({DType::f16, {2, 1, 3}})},
       {Tensor({DType::f16, {0, 2, 5}}), Tensor({DType::f16, {0, 2, 2}})});
}

TEST(CausalConv, SeesTheOldStateThroughShortChunks) {
  const CausalConv op{CausalActivation::none, true, true};
  both(op,
       {Tensor::of<float>({1, 2, 1}, {5, -5}), Tensor::of<float>({2, 1, 4}, {1, 10, 100, 1000, 1, 1, 1, 1}),
        Tensor::of<float>({2}, {0.5, -0.5}), Tensor::of<float>({1, 2, 3}, {7, 8, 9, 1, 2, 3})},
       {Tensor::of<float>({1, 2, 1}, {5987.5, 0.5}), Tensor::of<float>({1, 2, 3}, {8, 9, 5, 2, 3, -5})});
}

/// Every bit of a state is handed on: NaN with its payload, a negative zero, a subnormal.
TEST(CausalConv, TheStateKeepsItsBits) {
  const auto nan = std::bit_cast<float>(0x7FC12345u);
  const Tensor x = Tensor::of<float>({1, 1, 2}, {-0.0f, 0x1p-149f}), w = Tensor::of<float>({1, 1, 4}, {0, 0, 0, 1});
  const Tensor state = Tensor::of<float>({1, 1, 3}, {1, 2, nan});
  const Tensor next = Tensor::of<float>({1, 1, 3}, {nan, -0.0f, 0x1p-149f});
  const CausalConv op{CausalActivation::silu, false, true};
  ref_cpu::CpuExecutor cpu;
  EXPECT_TRUE(tests::same_bytes(ir::run_op(cpu, op, {x, w, state}).at(1), next));
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  EXPECT_TRUE(tests::same_bytes(ir::run_op(*testing::gpu().executor, op, {x, w, state}).at(1), next));
}

TEST(CausalConv, SpecialValues) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::of<float>({1, 1, 6}, {inf, 1, -inf, 2, nan, 3}), w = Tensor::of<float>({1, 1, 2}, {0.5, 2});
  both({}, {x, w}, {Tensor::of<float>({1, 1, 6}, {inf, inf, -inf, -inf, nan, nan}), Tensor::of<float>({1, 1, 1}, {3})});
  // silu has no guard at -inf; what it gives below -88 is subnormal and then 0.
  const Tensor one = Tensor::of<float>({1, 1, 1}, {1});
  both({CausalActivation::silu}, {Tensor::of<float>({1, 1, 4}, {inf, -inf, -200, 0}), one},
       {Tensor::of<float>({1, 1, 4}, {inf, nan, 0, 0}), Tensor({DType::f32, {1, 1, 0}})});
}

/// The part [begin, end) of every line.
Tensor samples(const Tensor& x, std::int64_t begin, std::int64_t end) {
  Tensor part({x.dtype(), {x.shape()[0], x.shape()[1], end - begin}});
  const std::size_t width = ir::info(x.dtype()).bytes, from = static_cast<std::size_t>(x.shape()[2]) * width;
  const std::size_t to = static_cast<std::size_t>(end - begin) * width;
  for (std::size_t line = 0; to > 0 && line < part.bytes().size() / to; ++line)
    std::ranges::copy(x.bytes().subspan(line * from + static_cast<std::size_t>(begin) * width, to),
                      part.bytes().begin() + static_cast<std::ptrdiff_t>(line * to));
  return part;
}

/// Bit by bit, wherever the line is cut: the taps of a sample are added in the same order.
void expect_chunks_are_one(ir::Executor& executor, CausalConv op, std::int64_t taps, std::int64_t cut) {
  SCOPED_TRACE(ir::cat(executor.name(), ", ", taps, " taps, cut at ", cut));
  const std::vector<Tensor> in = operands_of(op, DType::f32, {2, 3, 19, taps});
  const std::vector<Tensor> whole = ir::run_op(executor, op, in);
  std::vector<Tensor> first = in, second = in;
  first[0] = samples(in[0], 0, cut);
  second[0] = samples(in[0], cut, 19);
  const std::vector<Tensor> of_first = ir::run_op(executor, op, first);
  op.has_state = true;
  second.resize(op.state_operand(), in.back());
  second.push_back(of_first[1]);
  const std::vector<Tensor> of_second = ir::run_op(executor, op, second);
  EXPECT_TRUE(tests::same_bytes(of_first[0], samples(whole[0], 0, cut)));
  EXPECT_TRUE(tests::same_bytes(of_second[0], samples(whole[0], cut, 19)));
  EXPECT_TRUE(tests::same_bytes(of_second[1], whole[1]));
}

TEST(CausalConv, TwoChunksEqualOne) {
  ref_cpu::CpuExecutor cpu;
  for (const auto activation : {CausalActivation::none, CausalActivation::silu})
    for (const bool has_state : {false, true})
      for (const auto& [taps, cut] : {std::pair{4, 7}, {4, 1}, {8, 17}, {1, 5}, {4, 0}, {30, 11}}) {
        expect_chunks_are_one(cpu, {activation, true, has_state}, taps, cut);
        if (testing::gpu().executor != nullptr)
          expect_chunks_are_one(*testing::gpu().executor, {activation, true, has_state}, taps, cut);
      }
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
}

/// Waves whose sums rise and fall are held to their own terms, behind silu, too.
TEST(CausalConv, WavesAreWithinTheirOwnLimits) {
  std::vector<float> wave;
  for (int t = 0; t < 500; ++t) wave.push_back(t / 50 % 2 == 0 ? 1.1f : -0.9f);
  const Tensor x = Tensor::of<float>({1, 1, 500}, wave);
  const Tensor w = Tensor::of<float>({1, 1, 300}, std::vector<float>(300, 0.3f));
  for (const auto activation : {CausalActivation::none, CausalActivation::silu})
    testing::check_op(CausalConv{activation}, {x, w});
}

}  // namespace
}  // namespace plumb::causal_conv_test
