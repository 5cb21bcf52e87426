// Faults that the judges of rnn, gru and lstm see, and the places that they name (verdict.md V69).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/rnn.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/joint_check.hpp"

namespace plumb::parity::judges::recurrent_node_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::kernels::RecurrentDirection;
using ir::ops::Gru;
using ir::ops::Lstm;
using ir::ops::Rnn;
using testing::complaint_of;
using testing::judged;

constexpr std::int64_t steps = 12, batch = 2, inputs = 5, units = 7;

template <class T>
std::vector<Tensor> operands_of(const T& op, DType dtype) {
  std::uint64_t seed = 7;
  const auto made = [&](const ir::Shape& shape, double scale) {
    ir::Fill fill;
    fill.scale = scale;
    return testing::random_tensor({dtype, shape}, seed++, fill);
  };
  std::vector<Tensor> all = {made({steps, batch, inputs}, 1), made({1, T::gates * units, inputs}, 0.5),
                             made({1, T::gates * units, units}, 0.4)};
  if (op.has_bias) all.push_back(made({1, 2 * T::gates * units}, 0.3));
  if (op.has_lengths) all.push_back(Tensor::of<std::int32_t>({batch}, {steps, steps - 4}));
  return all;
}

std::vector<Tensor> run(const ir::Op& op, const std::vector<Tensor>& operands) {
  ref_cpu::CpuExecutor cpu;
  return ir::run_op(cpu, op, operands);
}

double ratio_of(const std::vector<cases::NodeResult>& results) {
  double most = 0;
  for (const auto& result : results) most = std::max(most, result.local.ratio());
  return most;
}

/// Operand 1, 2 or 3 with the rows of two gates exchanged.
Tensor exchanged(const Tensor& weights, std::int64_t gates, std::int64_t a, std::int64_t b) {
  Tensor made = weights;
  const std::size_t size = made.bytes().size() / static_cast<std::size_t>(gates);
  for (std::size_t i = 0; i < size; ++i)
    std::swap(made.bytes()[static_cast<std::size_t>(a) * size + i],
              made.bytes()[static_cast<std::size_t>(b) * size + i]);
  return made;
}

template <class T>
void expect_faults_seen(const T& op, DType dtype) {
  SCOPED_TRACE(ir::cat(T::name, ' ', dtype));
  const std::vector<Tensor> operands = operands_of(op, dtype);
  const std::vector<Tensor> honest = run(op, operands);
  const auto clean = judged(op, operands, honest);
  EXPECT_EQ(complaint_of(clean), "");
  EXPECT_GT(ratio_of(clean), 0.01) << "limits that no kernel comes near to";
  const auto is_seen = [&](const std::vector<Tensor>& outputs) {
    return !complaint_of(judged(op, operands, outputs)).empty();
  };
  for (std::int64_t gate = 1; gate < T::gates; ++gate) {
    std::vector<Tensor> other = operands;
    other[1] = exchanged(operands[1], T::gates, 0, gate);
    other[2] = exchanged(operands[2], T::gates, 0, gate);
    EXPECT_TRUE(is_seen(run(op, other))) << "gates 0 and " << gate << " exchanged";
  }
  std::vector<Tensor> late = operands;  // a step on the x of another
  const std::size_t line = operands[0].bytes().size() / steps;
  std::ranges::copy(operands[0].bytes().subspan(3 * line, line),
                    late[0].bytes().begin() + 4 * static_cast<std::ptrdiff_t>(line));
  EXPECT_TRUE(is_seen(run(op, late))) << "an x twice";
  std::vector<Tensor> blunt = operands;
  Tensor wide = ir::convert(operands[2], DType::f64);
  for (double& w : wide.as<double>()) w *= 1 + (dtype == DType::f32 ? 0x1p-14 : 0x1p-5);
  blunt[2] = ir::convert(wide, dtype);
  EXPECT_TRUE(is_seen(run(op, blunt))) << "weights of too few bits";
  for (std::size_t k = 1; k < honest.size(); ++k) {
    std::vector<Tensor> stale = honest;  // the last state is that of another step
    const std::size_t size = honest[1].bytes().size();
    if (honest[k].bytes().size() == size)
      std::ranges::copy(honest[0].bytes().subspan((steps - 2) * size, size), stale[k].bytes().begin());
    else
      stale[k] = honest[0];
    EXPECT_TRUE(is_seen(stale)) << "output " << k;
  }
}

TEST(Judge, RecurrencesSeeTheirFaults) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    expect_faults_seen(Rnn{.has_bias = true}, dtype);
    expect_faults_seen(Gru{.has_bias = true}, dtype);
    expect_faults_seen(Gru{.linear_before_reset = true, .has_bias = true}, dtype);
    expect_faults_seen(Lstm{.has_bias = true}, dtype);
    expect_faults_seen(Lstm{.cell_states = true}, dtype);
  }
}

/// Products beyond the range cancel in every gate of the first step. A NaN that comes of them is set apart, with the
/// steps behind it, and so is a gate that is saturated; of ordinary products, or in other steps, either is a fault.
TEST(Judge, RecurrencesMayLeaveTheRangeInAGate) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const Rnn op;
  const auto bad = [&](float size, std::size_t row, std::size_t step, float got) {
    std::vector<Tensor> operands = operands_of(op, DType::f32);
    for (std::size_t i = 0; i < 2; ++i) operands[0].as<float>()[row * inputs + i] = size;
    for (std::size_t u = 0; u < units; ++u) {
      operands[1].as<float>()[u * inputs] = 2;
      operands[1].as<float>()[u * inputs + 1] = -2;
    }
    std::vector<Tensor> outputs = run(op, operands);
    for (std::size_t s = step; s < steps; ++s)
      for (std::size_t u = 0; u < units; ++u) outputs[0].as<float>()[(s * batch + row) * units + u] = got;
    for (std::size_t u = 0; u < units; ++u) outputs[1].as<float>()[row * units + u] = got;
    return !judged(op, operands, outputs)[0].local.agrees();
  };
  EXPECT_FALSE(bad(3e38f, 0, 0, nan));
  EXPECT_TRUE(bad(1e38f, 0, 0, nan)) << "2e38 is in the range";
  EXPECT_TRUE(bad(3e38f, 1, 3, nan)) << "the first step overflows, and it is the fourth that has the first NaN";
  EXPECT_TRUE(bad(3e38f, 0, 0, 1)) << "only the first step overflows, and all are saturated";
}

/// Each step is held to the state that it went on from, so that the one that is off is named, and no other.
TEST(Judge, RecurrencesNameTheStepThatIsOff) {
  const Rnn op{.has_lengths = true};
  const std::vector<Tensor> operands = operands_of(op, DType::f32);
  std::vector<Tensor> outputs = run(op, operands);
  const std::size_t at = (4 * batch + 1) * units + 3;
  Tensor state({DType::f32, {1, batch, units}});
  outputs[0].as<float>()[at] += 1e-5f;
  const auto own = std::as_const(outputs[0]).as<float>();
  // The later steps go on from the state that is off, and are right.
  std::ranges::copy(own.subspan(4 * batch * units, batch * units), state.as<float>().begin());
  const auto x = operands[0].as<float>().subspan(5 * batch * inputs);
  const Rnn rest{.has_lengths = true, .has_initial_h = true};
  const auto more =
      run(rest, {Tensor::of<float>({steps - 5, batch, inputs}, std::vector<float>(x.begin(), x.end())), operands[1],
                 operands[2], Tensor::of<std::int32_t>({batch}, {steps - 5, steps - 9}), state});
  std::ranges::copy(more[0].as<float>(), outputs[0].as<float>().begin() + 5 * batch * units);
  outputs[1] = more[1];
  const auto results = judged(op, operands, outputs);
  EXPECT_EQ(results[0].local.n_bad, 1u);
  EXPECT_EQ(results[0].local.worst.front().index, at);
  EXPECT_TRUE(results[1].local.agrees());
}

TEST(Judge, RecurrencesEndWhereTheirLengthsSay) {
  for (const auto direction : {RecurrentDirection::forward, RecurrentDirection::reverse}) {
    const Lstm op{.direction = direction, .has_lengths = true};
    const std::vector<Tensor> operands = operands_of(op, DType::f32);
    const std::vector<Tensor> honest = run(op, operands);
    EXPECT_EQ(complaint_of(judged(op, operands, honest)), "");
    std::vector<Tensor> longer = honest;
    longer[0].as<float>()[((steps - 1) * batch + 1) * units] = 1e-6f;
    EXPECT_EQ(judged(op, operands, longer)[0].local.n_bad, 1u);
    std::vector<Tensor> all = operands;
    all.pop_back();
    const std::vector<Tensor> unmasked = run(Lstm{.direction = direction}, all);
    EXPECT_NE(complaint_of(judged(op, operands, {unmasked[0], honest[1], honest[2]})), "");
    EXPECT_NE(complaint_of(judged(op, operands, {honest[0], honest[1], unmasked[2]})), "");
  }
}

/// 16-bit states that are handed on rounded are off by more than the rounding of what is shown.
TEST(Judge, RecurrencesKeepTheirStates) {
  const Lstm op{}, one{.has_initial_h = true, .has_initial_c = true};
  const std::vector<Tensor> operands = operands_of(op, DType::bf16);
  std::vector<Tensor> outputs = run(op, operands);
  EXPECT_EQ(complaint_of(judged(op, operands, outputs)), "");
  std::vector<Tensor> state = {Tensor({DType::bf16, {1, batch, units}}), Tensor({DType::bf16, {1, batch, units}})};
  const std::size_t line = operands[0].bytes().size() / steps, size = state[0].bytes().size();
  for (std::size_t t = 0; t < steps; ++t) {
    Tensor x({DType::bf16, {1, batch, inputs}});
    std::ranges::copy(operands[0].bytes().subspan(t * line, line), x.bytes().begin());
    const auto next = run(one, {x, operands[1], operands[2], state[0], state[1]});
    std::ranges::copy(next[0].bytes(), outputs[0].bytes().begin() + static_cast<std::ptrdiff_t>(t * size));
    state = {next[1], next[2]};
  }
  outputs[1] = state[0];
  outputs[2] = state[1];
  EXPECT_NE(complaint_of(judged(op, operands, outputs)), "");
}

}  // namespace
}  // namespace plumb::parity::judges::recurrent_node_test
