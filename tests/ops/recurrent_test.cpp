// rnn, gru and lstm, on every device and by every dtype: what they share is tested of all three.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/rnn.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/joint_check.hpp"
#include "tests/support/noise.hpp"

namespace plumb::recurrent_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::kernels::RecurrentActivation;
using ir::kernels::RecurrentDirection;
using ir::ops::Gru;
using ir::ops::Lstm;
using ir::ops::Rnn;

constexpr std::array every_activation = {RecurrentActivation::sigmoid,  RecurrentActivation::tanh,
                                         RecurrentActivation::relu,     RecurrentActivation::hard_sigmoid,
                                         RecurrentActivation::softsign, RecurrentActivation::softplus,
                                         RecurrentActivation::identity};

struct Extents {
  std::int64_t steps = 5, batch = 3, inputs = 4, units = 6;
};

/// The weights of some units stay in a workgroup's registers on a device, those of more do not.
constexpr std::array<std::int64_t, 2> units_of_each_kernel = {6, 65};

/// Normal numbers: weights such that sums of gates are about 1.
template <class T>
std::vector<Tensor> operands_of(const T& op, const Extents& n, DType dtype = DType::f32,
                                const std::vector<std::int64_t>& lengths = {}) {
  const std::int64_t d = op.direction == RecurrentDirection::bidirectional ? 2 : 1, rows = T::gates * n.units;
  std::uint64_t seed = 1;
  const auto made = [&](const ir::Shape& shape, double scale) {
    ir::Fill fill;
    fill.distribution = ir::Distribution::normal;
    fill.scale = scale;
    return testing::random_tensor({dtype, shape}, seed++, fill);
  };
  const auto per_root = [](std::int64_t terms) {
    return 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(terms, 1)));
  };
  std::vector<Tensor> all = {made({n.steps, n.batch, n.inputs}, 1), made({d, rows, n.inputs}, per_root(n.inputs)),
                             made({d, rows, n.units}, per_root(n.units))};
  if (op.has_bias) all.push_back(made({d, 2 * rows}, 0.3));
  if (op.has_lengths) all.push_back(Tensor::of<std::int64_t>({n.batch}, lengths));
  if (op.has_initial_h) all.push_back(made({d, n.batch, n.units}, 0.5));
  if constexpr (requires { op.has_peephole; }) {
    if (op.has_initial_c) all.push_back(made({d, n.batch, n.units}, 0.5));
    if (op.has_peephole) all.push_back(made({d, 3 * n.units}, 0.5));
  }
  return all;
}

/// Calls use(op) for an op of each kind that has all that can be switched on, and for its other ways to compute.
template <class Use>
void for_each_op(RecurrentDirection direction, const Use& use) {
  use(Rnn{.direction = direction, .has_bias = true, .has_lengths = true, .has_initial_h = true});
  for (const bool linear : {false, true})
    use(Gru{.direction = direction,
            .linear_before_reset = linear,
            .has_bias = true,
            .has_lengths = true,
            .has_initial_h = true});
  for (const bool cells : {false, true})
    use(Lstm{.direction = direction,
             .input_forget = cells,
             .cell_states = cells,
             .has_bias = true,
             .has_lengths = true,
             .has_initial_h = true,
             .has_initial_c = true,
             .has_peephole = true});
  use(Lstm{.direction = direction, .cell_states = true, .has_lengths = true, .has_peephole = true});
}

/// Calls use(op) for an op of each kind that has nothing switched on.
template <class Use>
void for_each_plain_op(const Use& use) {
  use(Rnn{});
  use(Gru{});
  use(Gru{.linear_before_reset = true});
  use(Lstm{});
}

TEST(Recurrent, EveryDtypeAndDirection) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64})
    for (const auto direction :
         {RecurrentDirection::forward, RecurrentDirection::reverse, RecurrentDirection::bidirectional})
      for_each_op(direction, [&](const auto& op) {
        for (const std::int64_t units : units_of_each_kernel)
          testing::check_jointly(op, operands_of(op, {.steps = 3, .units = units}, dtype, {3, 2, 0}));
      });
}

TEST(Recurrent, Shapes) {
  for_each_plain_op([](const auto& op) {
    for (const Extents& n :
         {Extents{1, 1, 1, 1}, Extents{17, 1, 3, 33}, Extents{3, 17, 5, 8}, Extents{2, 16, 1, 9}, Extents{2, 2, 0, 3},
          Extents{3, 5, 7, 65}, Extents{0, 2, 3, 4}, Extents{3, 0, 2, 4}, Extents{2, 33, 70, 130}})
      testing::check_jointly(op, operands_of(op, n));
  });
}

TEST(Recurrent, EveryFunction) {
  for (const RecurrentActivation function : every_activation)
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Rnn rnn{.activation = function, .has_initial_h = true};
      testing::check_jointly(rnn, operands_of(rnn, {}, dtype));
      const Lstm lstm{.gate_activation = function,
                      .cell_activation = function,
                      .hidden_activation = function,
                      .has_initial_c = true,
                      .has_peephole = true};
      // Without limits gates multiply what grows from step to step.
      testing::check_jointly(lstm, operands_of(lstm, {.steps = 3}, dtype), testing::Data::ill_conditioned);
    }
}

TEST(Recurrent, ClipsWhatFunctionsAreAppliedTo) {
  for (const DType dtype : {DType::f32, DType::f16, DType::f64}) {
    const Rnn rnn{.activation = RecurrentActivation::identity, .clip = 0.3, .has_initial_h = true};
    testing::check_jointly(rnn, operands_of(rnn, {}, dtype));
    const Gru gru{.clip = 0.4, .has_bias = true};
    testing::check_jointly(gru, operands_of(gru, {}, dtype));
    const Lstm lstm{.clip = 0.4, .has_bias = true, .has_initial_c = true, .has_peephole = true};
    testing::check_jointly(lstm, operands_of(lstm, {}, dtype));
  }
}

TEST(Recurrent, ManySteps) {
  for_each_plain_op([](const auto& op) { testing::check_jointly(op, operands_of(op, {200, 2, 3, 5})); });
  const Lstm lstm{.direction = RecurrentDirection::bidirectional, .has_bias = true};
  testing::check_jointly(lstm, operands_of(lstm, {100, 2, 3, 5}, DType::f16));
}

TEST(Recurrent, IsWhatItsDefinitionsSay) {
  for (const auto direction : {RecurrentDirection::reverse, RecurrentDirection::bidirectional})
    for_each_op(direction, [&](const auto& op) {
      testing::check_against_definitions(op, operands_of(op, {4, 3, 2, 3}, DType::f64, {4, 1, 0}));
    });
  for_each_plain_op([](const auto& op) {
    testing::check_against_definitions(op, operands_of(op, {3, 2, 3, 4}, DType::f64));
    testing::check_against_definitions(op, operands_of(op, {0, 2, 3, 4}, DType::f64));
  });
  for (const RecurrentActivation function : every_activation) {
    const Gru gru{.gate_activation = function, .hidden_activation = function, .clip = 0.75, .has_initial_h = true};
    testing::check_against_definitions(gru, operands_of(gru, {2, 2, 2, 2}, DType::f64));
  }
}

/// Running a sequence in two pieces with the state handed on.
TEST(Recurrent, TwoPiecesAreOne) {
  const Lstm op{.has_bias = true, .has_initial_h = true, .has_initial_c = true};
  const std::vector<Tensor> whole = operands_of(op, {8, 2, 3, 5}, DType::f64);
  ref_cpu::CpuExecutor cpu;
  const auto part = [&](std::int64_t first, std::int64_t steps) {
    const auto x =
        whole[0].as<double>().subspan(static_cast<std::size_t>(first * 6), static_cast<std::size_t>(steps * 6));
    return Tensor::of<double>({steps, 2, 3}, std::vector<double>(x.begin(), x.end()));
  };
  std::vector<Tensor> piece = whole;
  piece[0] = part(0, 5);
  const auto before = ir::run_op(cpu, op, piece);
  piece[0] = part(5, 3);
  piece[4] = before[1];
  piece[5] = before[2];
  const auto after = ir::run_op(cpu, op, piece), all = ir::run_op(cpu, op, whole);
  EXPECT_TRUE(tests::same_bytes(after[1], all[1]));
  EXPECT_TRUE(tests::same_bytes(after[2], all[2]));
}

TEST(Recurrent, LengthsOutsideAreFaults) {
  for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{6}, std::int64_t{4294967296}})
    for_each_op(RecurrentDirection::forward, [&](const auto& op) {
      const std::vector<Tensor> operands = operands_of(op, {}, DType::f32, {5, wrong, 0});
      ref_cpu::CpuExecutor cpu;
      EXPECT_THAT(tests::message_of([&] { ir::run_op(cpu, op, operands); }), ::testing::HasSubstr(ir::cat(wrong)));
      if (testing::gpu().executor == nullptr) return;
      EXPECT_THAT(tests::message_of([&] { ir::run_op(*testing::gpu().executor, op, operands); }),
                  ::testing::HasSubstr(ir::cat(wrong)));
    });
}

/// A NaN or an infinity spoils its own sequence from its own step on.
TEST(Recurrent, SpecialNumbersStayInTheirSequence) {
  for (const DType dtype : {DType::f32, DType::f16, DType::f64})
    for (const double special : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
      for_each_plain_op([&](const auto& op) {
        for (const std::int64_t units : units_of_each_kernel) {
          std::vector<Tensor> operands = operands_of(op, {.steps = 4, .units = units}, dtype);
          Tensor wide = ir::convert(operands[0], DType::f64);
          wide.as<double>()[2 * 12 + 4 + 1] = special;  // step 2 of sequence 1
          operands[0] = ir::convert(wide, dtype);
          testing::check_jointly(op, operands);
        }
      });
}

TEST(Recurrent, ZerosAndSaturatedGates) {
  for_each_plain_op([](const auto& op) {
    std::vector<Tensor> operands = operands_of(op, {});
    for (const float scale : {0.0f, 1e4f, 1e-30f, -0.0f}) {
      std::vector<Tensor> scaled = operands;
      for (float& w : scaled[1].as<float>()) w *= scale;
      testing::check_jointly(op, scaled, testing::Data::ill_conditioned);
    }
  });
}

}  // namespace
}  // namespace plumb::recurrent_test
