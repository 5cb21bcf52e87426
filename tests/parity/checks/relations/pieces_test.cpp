// Steps in pieces give what one pass gives; a state that is not handed on is found.
#include "parity/checks/relations/pieces.hpp"

#include <gtest/gtest.h>

#include "ir/ops/causal_conv.hpp"
#include "ir/ops/gated_delta_net.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/mamba2.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/ops/selective_scan.hpp"
#include "parity/checks/relations/node_check.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::checks::relations::pieces_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;

using Runner = std::function<ir::OpRun(const ir::Op&, const Operands&)>;

ir::OpRun honest(const ir::Op& op, const Operands& operands) {
  ref_cpu::CpuExecutor cpu;
  return ir::run_op_with_report(cpu, op, operands.tensors, "y", operands.is_param);
}

std::vector<cases::RelationResult> check(const ir::Op& op, std::vector<Tensor> tensors, const Runner& run = honest) {
  Operands operands{std::move(tensors), {}};
  operands.is_param.resize(operands.tensors.size());
  ref_cpu::CpuExecutor reference, candidate;
  const cases::Executors executors{.reference = reference, .candidate = &candidate, .candidate_is_host = true};
  const ir::OpRun whole = run(op, operands);
  const ir::TensorTypes in = operands.types();
  const Symmetries declared = symmetries_of(op, in, ir::infer(op, in));
  return check_pieces({executors, op, operands, whole, run}, declared.steps.value(), {});
}

Tensor numbers(const Shape& shape, double scale = 0.5, DType dtype = DType::f32) {
  return testing::random_tensor({dtype, shape}, 11, {.scale = scale});
}

void expect_to_hold(const std::vector<cases::RelationResult>& results, const std::string& of) {
  EXPECT_EQ(results.size(), 2u) << of;
  for (const cases::RelationResult& one : results)
    EXPECT_EQ(one.verdict, core::Verdict::passed) << of << ' ' << ir::enum_name(one.relation) << ": " << one.why;
}

/// Numbers below 0, as factors that decay are of exponents.
Tensor decays(const Shape& shape) {
  return testing::random_tensor({DType::f32, shape}, 12,
                                {.distribution = ir::Distribution::uniform, .low = -1, .high = 0});
}

/// Terms in another order make other states, which the limits of a step say nothing of.
TEST(Pieces, SumsOfSeveralStepsAreNotHeldToTheLimitsOfOne) {
  const auto asked = [](std::int64_t steps) {
    const ir::ops::Lstm op{.direction = ir::kernels::RecurrentDirection::reverse};
    const Operands operands{{numbers({steps, 3, 4}), numbers({1, 20, 4}), numbers({1, 20, 5})}, {false, false, false}};
    ref_cpu::CpuExecutor reference, candidate;
    const cases::Executors executors{.reference = reference, .candidate = &candidate, .candidate_is_host = true};
    const ir::Graph graph = ir::graph_of(op, operands.types());
    std::size_t sums = 0;
    for (const cases::RelationResult& one : check_node(executors, graph, 0, operands, 7)) {
      EXPECT_EQ(one.verdict, core::Verdict::passed) << ir::enum_name(one.relation) << ": " << one.why;
      sums += one.relation == cases::Relation::summation_order ? 1u : 0u;
    }
    return sums;
  };
  EXPECT_GT(asked(1), 0u);
  EXPECT_EQ(asked(6), 0u);
}

TEST(Pieces, HoldOfHonestRecurrences) {
  const Tensor lengths = Tensor::of<std::int64_t>({3}, {0, 9, 4});
  for (const DType dtype : {DType::f32, DType::f64, DType::f16}) {
    const Tensor x = numbers({9, 3, 4}, 1, dtype), h = numbers({1, 3, 5}, 1, dtype);
    const auto weights = [&](std::int64_t rows, std::int64_t columns) {
      return numbers({1, rows, columns}, 0.5, dtype);
    };
    expect_to_hold(check(ir::ops::Rnn{}, {x, weights(5, 4), weights(5, 5)}), "rnn");
    expect_to_hold(
        check(ir::ops::Rnn{.has_lengths = true, .has_initial_h = true}, {x, weights(5, 4), weights(5, 5), lengths, h}),
        "rnn with lengths");
    expect_to_hold(check(ir::ops::Gru{.linear_before_reset = true, .has_bias = true},
                         {x, weights(15, 4), weights(15, 5), numbers({1, 30}, 0.5, dtype)}),
                   "gru");
    expect_to_hold(check(ir::ops::Lstm{.has_initial_c = true, .has_peephole = true},
                         {x, weights(20, 4), weights(20, 5), h, numbers({1, 15}, 0.5, dtype)}),
                   "lstm");
  }
  expect_to_hold(
      check(ir::ops::Lstm{.cell_states = true}, {numbers({9, 3, 4}), numbers({1, 20, 4}), numbers({1, 20, 5})}),
      "lstm with its cells");
}

TEST(Pieces, HoldOfHonestScans) {
  expect_to_hold(
      check(ir::ops::SelectiveScan{.has_skip = true}, {numbers({2, 11, 3}), numbers({2, 11, 3}), decays({3, 4}),
                                                       numbers({2, 11, 4}), numbers({2, 11, 4}), numbers({3})}),
      "selective_scan");
  expect_to_hold(check(ir::ops::Mamba2{.has_state = true},
                       {numbers({2, 11, 2, 3}), numbers({2, 11, 2}), decays({2}), numbers({2, 11, 1, 4}),
                        numbers({2, 11, 1, 4}), numbers({2, 2, 3, 4})}),
                 "mamba2");
  expect_to_hold(check(ir::ops::GatedDeltaNet{.has_beta = false},
                       {numbers({2, 11, 2, 3}), numbers({2, 11, 2, 3}), numbers({2, 11, 2, 4}), decays({2, 11, 2})}),
                 "gated_delta_net");
  expect_to_hold(check(ir::ops::CausalConv{.activation = ir::ops::CausalActivation::silu, .has_bias = true},
                       {numbers({2, 3, 11}), numbers({3, 1, 4}), numbers({3})}),
                 "causal_conv");
}

const ir::Op scan = ir::ops::SelectiveScan{};
std::vector<Tensor> operands_of_scan() {
  return {numbers({2, 11, 3}), numbers({2, 11, 3}), decays({3, 4}), numbers({2, 11, 4}), numbers({2, 11, 4})};
}

TEST(Pieces, FewStepsAreNotAsked) {
  const auto results =
      check(scan, {numbers({1, 1, 3}), numbers({1, 1, 3}), decays({3, 4}), numbers({1, 1, 4}), numbers({1, 1, 4})});
  EXPECT_TRUE(results.empty());
  EXPECT_EQ(
      check(scan, {numbers({1, 2, 3}), numbers({1, 2, 3}), decays({3, 4}), numbers({1, 2, 4}), numbers({1, 2, 4})})
          .size(),
      1u);
}

TEST(Pieces, AStateThatIsNotTakenOnIsFound) {
  const Runner forgetful = [](const ir::Op& op, const Operands& operands) {
    Operands others = operands;
    if (op.as<ir::ops::SelectiveScan>().has_state) others.tensors.back() = Tensor(others.tensors.back().type());
    return honest(op, others);
  };
  for (const cases::RelationResult& one : check(scan, operands_of_scan(), forgetful))
    EXPECT_EQ(one.verdict, core::Verdict::failed) << ir::enum_name(one.relation);
}

TEST(Pieces, AStateThatIsLeftWrongIsFound) {
  const Runner careless = [](const ir::Op& op, const Operands& operands) {
    ir::OpRun run = honest(op, operands);
    if (operands.tensors[0].shape()[1] < 11) run.outputs[1].as<float>()[1] *= 1 + 0x1p-10f;
    return run;
  };
  for (const cases::RelationResult& one : check(scan, operands_of_scan(), careless)) {
    EXPECT_EQ(one.verdict, core::Verdict::failed) << ir::enum_name(one.relation);
    EXPECT_NE(one.why.find("by themselves"), std::string::npos) << one.why;
  }
}

/// 1408 · 1489/32 is 65516: 65504 in f16 but, rounded otherwise, an infinity.
TEST(Pieces, WhatMayLeaveTheRangeIsHeldByItself) {
  const Runner near_overflow = [](const ir::Op& op, const Operands& operands) {
    ir::OpRun run = honest(op, operands);
    Tensor& y = run.outputs[0];
    Tensor wide = ir::convert(y, DType::f64);
    if (y.shape()[2] < 4)
      for (double& one : wide.as<double>())
        if (one == 65504) one = std::numeric_limits<double>::infinity();
    y = ir::convert(wide, DType::f16);
    return run;
  };
  const Tensor x = ir::convert(Tensor::of<float>({1, 1, 4}, {1, 1408, 1, 1}), DType::f16);
  const Tensor taps = ir::convert(Tensor::of<float>({1, 1, 2}, {0, 1489.0f / 32}), DType::f16);
  const auto results = check(ir::ops::CausalConv{}, {x, taps}, near_overflow);
  expect_to_hold(results, "an infinity");
  for (const cases::RelationResult& one : results) EXPECT_EQ(one.n_differ, 1u);
}

TEST(Pieces, OneStepThatIsComputedOtherwiseIsFound) {
  const Runner single = [](const ir::Op& op, const Operands& operands) {
    ir::OpRun run = honest(op, operands);
    if (operands.tensors[0].shape()[1] == 1) run.outputs[0].as<float>()[2] += 0.01f;
    return run;
  };
  const auto results = check(scan, operands_of_scan(), single);
  EXPECT_EQ(results.at(0).verdict, core::Verdict::passed);
  EXPECT_EQ(results.at(1).verdict, core::Verdict::failed);
}

}  // namespace
}  // namespace plumb::parity::checks::relations::pieces_test
