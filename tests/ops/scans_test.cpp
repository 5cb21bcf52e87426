// Scans whose states nobody sees between steps: selective_scan, mamba2 and gated_delta_net.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "ir/ops/gated_delta_net.hpp"
#include "ir/ops/mamba2.hpp"
#include "ir/ops/selective_scan.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/joint_check.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::scans_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::GatedDeltaNet;
using ir::ops::Mamba2;
using ir::ops::SelectiveScan;

constexpr std::array reals = {DType::f16, DType::bf16, DType::f32, DType::f64};

Tensor uniform(DType dtype, const ir::Shape& shape, double low, double high, std::uint64_t seed) {
  return testing::random_tensor({dtype, shape}, seed, {ir::Distribution::uniform, 0, 1, low, high});
}
Tensor normal(DType dtype, const ir::Shape& shape, std::uint64_t seed, double scale = 1) {
  return testing::random_tensor({dtype, shape}, seed, {.scale = scale});
}

/// Dtypes of data and of the state that they begin with: each beside f32, alike, and what is wider than its data.
constexpr std::pair<DType, DType> dtypes[] = {
    {DType::f16, DType::f32}, {DType::bf16, DType::f32}, {DType::f32, DType::f32}, {DType::f64, DType::f64},
    {DType::f16, DType::f16}, {DType::f32, DType::bf16}, {DType::f16, DType::f64}, {DType::f64, DType::f32}};

/// A scan, and operands with axis 1 of its data along the steps.
struct Scan {
  ir::Op op;
  std::vector<Tensor> in;
  std::vector<std::size_t> along;  ///< operands that have an axis of steps
  bool has_state;
};

struct Sizes {
  std::int64_t batches, steps, heads, rows, groups, size;
};

Scan selective(const Sizes& n, DType dtype = DType::f32, SelectiveScan op = {}, DType state = DType::f32) {
  std::vector<Tensor> in = {normal(dtype, {n.batches, n.steps, n.heads}, 1),
                            uniform(dtype, {n.batches, n.steps, n.heads}, 0, 1, 2),
                            uniform(dtype, {n.heads, n.size}, -3, 0, 3), normal(dtype, {n.batches, n.steps, n.size}, 4),
                            normal(dtype, {n.batches, n.steps, n.size}, 5)};
  if (op.has_skip) in.push_back(normal(dtype, {n.heads}, 6));
  if (op.has_state) in.push_back(normal(state, {n.batches, n.heads, n.size}, 7));
  return {op, in, {0, 1, 3, 4}, op.has_state};
}

Scan mamba2(const Sizes& n, DType dtype = DType::f32, Mamba2 op = {}, DType state = DType::f32) {
  std::vector<Tensor> in = {normal(dtype, {n.batches, n.steps, n.heads, n.rows}, 1),
                            uniform(dtype, {n.batches, n.steps, n.heads}, 0, 1, 2), uniform(dtype, {n.heads}, -3, 0, 3),
                            normal(dtype, {n.batches, n.steps, n.groups, n.size}, 4),
                            normal(dtype, {n.batches, n.steps, n.groups, n.size}, 5)};
  if (op.has_skip) in.push_back(normal(dtype, {n.heads}, 6));
  if (op.has_state) in.push_back(normal(state, {n.batches, n.heads, n.rows, n.size}, 7));
  return {op, in, {0, 1, 3, 4}, op.has_state};
}

/// Keys have a norm of about 1; `rows` are those of a state, `size` its columns and `groups` the queries of a head.
Scan delta_net(const Sizes& n, DType dtype = DType::f32, GatedDeltaNet op = {}, DType state = DType::f32,
               bool by_row = false) {
  const double unit = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, n.rows)));
  std::vector<Tensor> in = {normal(dtype, {n.batches, n.steps, n.heads * n.groups, n.rows}, 1),
                            normal(dtype, {n.batches, n.steps, n.heads, n.rows}, 2, unit),
                            normal(dtype, {n.batches, n.steps, n.heads, n.size}, 3)};
  ir::Shape of_decay{n.batches, n.steps, n.heads};
  const ir::Shape of_beta = of_decay;
  if (by_row) of_decay.push_back(n.rows);
  Scan scan{op, {}, {0, 1, 2}, op.has_state};
  if (op.has_decay) {
    scan.along.push_back(in.size());
    in.push_back(uniform(dtype, of_decay, -1, 0, 4));
  }
  if (op.has_beta) {
    scan.along.push_back(in.size());
    in.push_back(uniform(dtype, of_beta, 0, 1, 5));
  }
  if (op.has_state) in.push_back(normal(state, {n.batches, n.heads, n.rows, n.size}, 6));
  scan.in = std::move(in);
  return scan;
}

void check(const Scan& scan) { testing::check_jointly(scan.op, scan.in); }

TEST(SelectiveScan, EveryDtype) {
  for (const auto& [dtype, state] : dtypes)
    check(selective({2, 5, 3, 1, 1, 7}, dtype, {.has_skip = true, .has_state = true}, state));
  for (const DType state : reals) check(selective({1, 5, 3, 1, 1, 2}, DType::f32, {.state_dtype = state}));
}

TEST(Mamba2, EveryDtype) {
  for (const auto& [dtype, state] : dtypes)
    check(mamba2({2, 5, 4, 3, 2, 7}, dtype, {.has_skip = true, .has_state = true}, state));
  for (const DType state : reals) check(mamba2({1, 5, 2, 3, 1, 2}, DType::f32, {.state_dtype = state}));
}

TEST(GatedDeltaNet, EveryDtype) {
  for (const auto& [dtype, state] : dtypes) check(delta_net({2, 5, 2, 7, 2, 3}, dtype, {.has_state = true}, state));
  for (const DType state : reals) check(delta_net({1, 5, 2, 3, 1, 5}, DType::f32, {.state_dtype = state}));
}

/// One, odd, prime, beside a power of two; several workgroups with a ragged end; several chunks.
TEST(SelectiveScan, Shapes) {
  for (const Sizes& n : {Sizes{1, 1, 1, 1, 1, 1}, Sizes{1, 17, 129, 1, 1, 3}, Sizes{3, 16, 5, 1, 1, 16},
                         Sizes{2, 15, 9, 1, 1, 31}, Sizes{1, 33, 3, 1, 1, 33}, Sizes{1, 3, 2, 1, 1, 65}})
    check(selective(n, DType::f32, {.has_skip = true, .state_every = 4}));
  check(selective({1, 131, 2, 1, 1, 4}));
  check(selective({1, 1000, 1, 1, 1, 2}, DType::f32, {.has_state = true, .state_every = 999}));
}

TEST(Mamba2, Shapes) {
  for (const Sizes& n : {Sizes{1, 1, 1, 1, 1, 1}, Sizes{1, 17, 43, 3, 43, 3}, Sizes{3, 16, 6, 5, 3, 16},
                         Sizes{1, 15, 2, 9, 1, 31}, Sizes{1, 33, 2, 1, 2, 129}})
    check(mamba2(n, DType::f32, {.has_skip = true, .state_every = 4}));
  check(mamba2({1, 131, 1, 2, 1, 4}, DType::f32, {.has_state = true, .state_every = 64}));
}

TEST(GatedDeltaNet, Shapes) {
  for (const Sizes& n : {Sizes{1, 1, 1, 1, 1, 1}, Sizes{1, 17, 2, 3, 1, 129}, Sizes{2, 16, 1, 64, 3, 5},
                         Sizes{1, 5, 2, 129, 1, 17}, Sizes{1, 3, 1, 256, 1, 2}, Sizes{1, 5, 1, 4, 17, 3}})
    check(delta_net(n, DType::f32, {.state_every = 4}, DType::f32, n.steps != 5));
  check(delta_net({1, 5, 2, 129, 1, 17}, DType::f32, {}, DType::f32, true));
}

/// The four rules that the flags make.
TEST(GatedDeltaNet, Rules) {
  for (const bool has_decay : {false, true})
    for (const bool has_beta : {false, true})
      check(delta_net({1, 37, 2, 8, 1, 5}, DType::f32,
                      {.scale = 0.7, .has_decay = has_decay, .has_beta = has_beta, .has_state = true}));
}

/// Without steps the state is the one that was given, or 0; without a batch, a head or a value there is nothing.
TEST(SelectiveScan, NothingToDo) {
  check(selective({2, 0, 3, 1, 1, 4}));
  check(selective({2, 0, 3, 1, 1, 4}, DType::f16, {.has_state = true, .state_every = 2}));
  check(selective({0, 3, 3, 1, 1, 4}, DType::f32, {.has_state = true}));
  check(selective({2, 3, 0, 1, 1, 4}));
  check(selective({1, 3, 2, 1, 1, 4}, DType::f32, {.state_every = 4}));
}

TEST(Mamba2, NothingToDo) {
  check(mamba2({2, 0, 2, 3, 1, 4}, DType::f16, {.has_state = true, .state_every = 2}));
  check(mamba2({0, 3, 2, 3, 1, 4}));
  check(mamba2({2, 3, 0, 3, 0, 4}));
}

TEST(GatedDeltaNet, NothingToDo) {
  check(delta_net({2, 0, 2, 3, 1, 4}, DType::f16, {.has_state = true, .state_every = 2}));
  check(delta_net({0, 3, 2, 3, 1, 4}));
  check(delta_net({2, 3, 0, 3, 1, 4}));
  check(delta_net({2, 3, 2, 3, 0, 4}));
  check(delta_net({2, 3, 2, 3, 1, 0}));
}

/// Without rows of a state a product has no terms: 0.
TEST(GatedDeltaNet, ReadsNothingOfNoRows) {
  const Scan scan = delta_net({1, 3, 2, 0, 1, 4});
  ref_cpu::CpuExecutor cpu;
  const auto is_zero = [](const Tensor& o) {
    return std::ranges::all_of(o.as<float>(), [](float x) { return x == 0; });
  };
  EXPECT_TRUE(is_zero(ir::run_op(cpu, scan.op, scan.in)[0]));
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  EXPECT_TRUE(is_zero(ir::run_op(*testing::gpu().executor, scan.op, scan.in)[0]));
}

/// Steps [begin, end) of a tensor that has them along axis 1.
Tensor steps_of(const Tensor& x, std::int64_t begin, std::int64_t end) {
  ir::Shape shape = x.shape();
  const std::int64_t all = shape[1];
  shape[1] = end - begin;
  Tensor part({x.dtype(), shape});
  const std::size_t step = x.bytes().size() / static_cast<std::size_t>(shape[0] * all);
  const auto length = static_cast<std::size_t>(end - begin) * step;
  for (std::size_t b = 0; b < static_cast<std::size_t>(shape[0]); ++b)
    std::memcpy(part.bytes().data() + b * length,
                x.bytes().data() + (b * static_cast<std::size_t>(all) + static_cast<std::size_t>(begin)) * step,
                length);
  return part;
}

/// As many steps of y as `part` has are its own, from step `begin` on.
void put_steps(const Tensor& part, std::int64_t begin, Tensor& y) {
  const auto batches = static_cast<std::size_t>(y.shape()[0]);
  const std::size_t step = y.bytes().size() / batches / static_cast<std::size_t>(y.shape()[1]);
  const std::size_t length = part.bytes().size() / batches;
  for (std::size_t b = 0; b < batches; ++b)
    std::memcpy(
        y.bytes().data() + (b * static_cast<std::size_t>(y.shape()[1]) + static_cast<std::size_t>(begin)) * step,
        part.bytes().data() + b * length, length);
}

/// In two pieces, the second from the state that the first gave; then a step at a time.
void check_pieces(const Scan& scan, ir::Executor& executor) {
  const std::int64_t all = scan.in[0].shape()[1];
  const auto whole = ir::run_op(executor, scan.op, scan.in);
  for (const std::int64_t length : {std::int64_t{37}, std::int64_t{1}}) {
    std::vector<Tensor> joined = whole;
    Tensor state = scan.in.back();
    for (std::int64_t begin = 0; begin < all; begin += length) {
      const std::int64_t end = std::min(all, begin + length);
      std::vector<Tensor> in = scan.in;
      for (const std::size_t i : scan.along) in[i] = steps_of(scan.in[i], begin, end);
      in.back() = state;
      const auto part = ir::run_op(executor, scan.op, in);
      put_steps(part[0], begin, joined[0]);
      state = part[1];
    }
    joined[1] = state;
    for (const auto& one : testing::judged(scan.op, scan.in, joined))
      EXPECT_TRUE(one.local.agrees()) << executor.name() << ", " << length << " steps: " << one.name() << ": "
                                      << one.summary();
    if (executor.name() != "ref_cpu") continue;
    EXPECT_TRUE(std::ranges::equal(joined[0].bytes(), whole[0].bytes())) << "one step is like another";
  }
}

std::vector<Scan> with_states() {
  return {selective({2, 64, 3, 1, 1, 5}, DType::f32, {.has_skip = true, .has_state = true}),
          mamba2({2, 64, 2, 3, 1, 5}, DType::f32, {.has_skip = true, .has_state = true}),
          delta_net({2, 64, 2, 8, 2, 5}, DType::f32, {.has_state = true})};
}

TEST(Scans, TwoPiecesAgreeWithOne) {
  for (const Scan& scan : with_states()) {
    ref_cpu::CpuExecutor cpu;
    check_pieces(scan, cpu);
    if (testing::gpu().executor != nullptr) check_pieces(scan, *testing::gpu().executor);
  }
}

TEST(Scans, AnyNumberOfThreadsGivesTheSameBits) {
  for (const Scan& scan : {selective({2, 33, 77, 1, 1, 9}, DType::f16), mamba2({2, 33, 6, 35, 3, 9}, DType::f16),
                           delta_net({2, 33, 3, 9, 2, 77}, DType::f16)}) {
    std::vector<Tensor> first;
    for (const int threads : {1, 2, 7, 16}) {
      ref_cpu::CpuExecutor cpu({.threads = threads});
      const auto got = ir::run_op(cpu, scan.op, scan.in);
      if (first.empty()) first = got;
      for (std::size_t k = 0; k < got.size(); ++k)
        EXPECT_TRUE(std::ranges::equal(got[k].bytes(), first[k].bytes())) << scan.op.name() << ' ' << threads;
    }
  }
}

/// Nothing is said of a part from the step on at which something wild came in; all before it, and all other parts, are
/// judged: in a scan of 200 steps the chunk that it ends in has a beginning.
TEST(Scans, WhatIsWildSpoilsNeitherOthersNorWhatWasBefore) {
  std::vector<Scan> scans = {selective({2, 200, 3, 1, 1, 2}), mamba2({2, 200, 3, 1, 3, 2}),
                             delta_net({2, 200, 3, 2, 1, 1}, DType::f32, {})};
  for (Scan& scan : scans)
    for (const float wild : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      const std::size_t operand = scan.op.is<GatedDeltaNet>() ? 2 : 0;  // one number a head and step
      scan.in[operand].as<float>()[(1 * 200 + 150) * 3 + 2] = wild;
      const testing::JointCheck checked = testing::check_jointly(scan.op, scan.in);
      EXPECT_EQ(checked.of_cpu[0].local.n_apart, 50u) << scan.op.name();
      EXPECT_EQ(checked.of_cpu[1].local.n_apart, 2u) << scan.op.name();
    }
}

TEST(Scans, AFaultAfterTheFirstStepsIsSeen) {
  for (const Scan& scan : with_states()) {
    ref_cpu::CpuExecutor cpu;
    auto got = ir::run_op(cpu, scan.op, scan.in);
    const auto y = got[0].as<float>();
    y[y.size() / 2] *= 1 + 0x1p-15f;
    EXPECT_EQ(testing::judged(scan.op, scan.in, got)[0].local.n_bad, 1u) << scan.op.name();
  }
}

/// Factors that vanish, stay and grow (ops.md K.4).
TEST(SelectiveScan, FactorsOfAllSizes) {
  for (const float logarithm : {-200.0f, 0.0f, 1.0f}) {
    const Tensor ones = Tensor::of<float>({1, 3, 1}, {1, 1, 1});
    const std::vector<Tensor> in = {ones, ones, Tensor::of<float>({1, 1}, {logarithm}), ones, ones};
    const float e = std::exp(logarithm), second = 1 + e, third = 1 + e * second;
    const auto checked = testing::check_jointly(SelectiveScan{}, in);
    EXPECT_NEAR(checked.cpu[0].as<float>()[2], third, 1e-5f);
    EXPECT_NEAR(checked.cpu[0].as<float>()[1], second, 1e-5f);
  }
}

}  // namespace
}  // namespace plumb::scans_test
