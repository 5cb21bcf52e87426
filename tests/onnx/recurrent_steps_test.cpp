// Recurrences with functions that no op has, against loops.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::recurrent_steps_test {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;
using Numbers = std::vector<double>;
using Function = std::function<double(double)>;

constexpr std::int64_t T = 4, B = 2, I = 3, H = 2;

Numbers wave(std::int64_t count, double phase) {
  Numbers values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(std::sin(phase + 1.3 * static_cast<double>(i))));
  return values;
}

ir::Tensor floats(const ir::Shape& shape, const Numbers& values) {
  return ir::convert(ir::Tensor::of<double>(shape, values), ir::DType::f32);
}

/// The options of a test of any of the three networks.
struct Question {
  std::string op;
  std::int64_t gates, directions = 1;
  bool reverse = false, linear_before_reset = false, input_forget = false, has_lengths = false;
  double clip = 0;
  std::vector<std::string> names;
  std::vector<float> alpha = {}, beta = {};
  std::vector<Function> functions;  ///< f, g, h of each direction

  Numbers x() const { return wave(T * B * I, 0.1); }
  Numbers w() const { return wave(directions * gates * H * I, 0.6); }
  Numbers r() const { return wave(directions * gates * H * H, 1.1); }
  Numbers bias() const { return wave(directions * gates * H * 2, 1.6); }
  Numbers h0() const { return wave(directions * B * H, 2.1); }
  Numbers c0() const { return wave(directions * B * H, 2.6); }
  Numbers peephole() const { return wave(directions * 3 * H, 3.1); }
  std::vector<std::int32_t> lengths() const {
    if (has_lengths) return {2, 4};
    return {T, T};
  }
};

/// y [T, D, B, H], h [D, B, H], c [D, B, H], by the equations of ONNX.
struct Answer {
  Numbers y = {}, h = {}, c = {};
};

Answer answer(const Question& q) {
  const auto x = q.x(), w = q.w(), r = q.r(), bias = q.bias(), p = q.peephole();
  const auto index = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  Answer made{.y = Numbers(index(T * q.directions * B * H)), .h = q.h0(), .c = q.c0()};
  const std::size_t per_direction = q.functions.size() / index(q.directions);
  for (std::int64_t d = 0; d < q.directions; ++d)
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t k = 0, n = q.lengths()[index(b)]; k < n; ++k) {
        const std::int64_t t = q.reverse || d == 1 ? n - 1 - k : k;
        double* const h = &made.h[index((d * B + b) * H)];
        double* const c = &made.c[index((d * B + b) * H)];
        const auto f = [&](std::size_t function, double v) {
          if (q.clip > 0) v = std::min(std::max(v, -q.clip), q.clip);
          return q.functions[index(d) * per_direction + function](v);
        };
        const auto of_x = [&](std::int64_t gate, std::int64_t u) {
          double sum = bias[index(d * 2 * q.gates * H + gate * H + u)];
          for (std::int64_t i = 0; i < I; ++i)
            sum += w[index(((d * q.gates + gate) * H + u) * I + i)] * x[index((t * B + b) * I + i)];
          return sum;
        };
        const auto of_state = [&](std::int64_t gate, std::int64_t u, const Numbers& state) {
          double sum = bias[index(d * 2 * q.gates * H + q.gates * H + gate * H + u)];
          for (std::int64_t i = 0; i < H; ++i)
            sum += r[index(((d * q.gates + gate) * H + u) * H + i)] * state[index(i)];
          return sum;
        };
        const Numbers before(h, h + H);
        Numbers reset(H), update(H), kept(H), next(H);
        for (std::int64_t u = 0; u < H; ++u) {
          const auto both = [&](std::int64_t gate) { return of_x(gate, u) + of_state(gate, u, before); };
          const auto look = [&](std::int64_t gate, double cell) { return p[index((d * 3 + gate) * H + u)] * cell; };
          if (q.op == "RNN") next[index(u)] = f(0, both(0));
          if (q.op == "GRU") {
            update[index(u)] = f(0, both(0));
            reset[index(u)] = f(0, both(1));
          }
          if (q.op == "LSTM") {
            const double in = f(0, both(0) + look(0, c[u]));
            const double forget = q.input_forget ? 1 - in : f(0, both(2) + look(2, c[u]));
            c[u] = forget * c[u] + in * f(1, both(3));
            next[index(u)] = f(0, both(1) + look(1, c[u])) * f(2, c[u]);
          }
          kept[index(u)] = reset[index(u)] * before[index(u)];
        }
        for (std::int64_t u = 0; u < H; ++u) {
          if (q.op == "GRU") {
            const double state =
                q.linear_before_reset ? reset[index(u)] * of_state(2, u, before) : of_state(2, u, kept);
            const double z = update[index(u)];
            next[index(u)] = (1 - z) * f(1, of_x(2, u) + state) + z * before[index(u)];
          }
          h[u] = made.y[index(((t * q.directions + d) * B + b) * H + u)] = next[index(u)];
        }
      }
  return made;
}

void expect(const Question& q) {
  ModelMaker maker(14);
  maker.input("x", {T, B, I}).initializer("w", floats({q.directions, q.gates * H, I}, q.w()));
  maker.initializer("r", floats({q.directions, q.gates * H, H}, q.r()));
  maker.initializer("bias", floats({q.directions, 2 * q.gates * H}, q.bias()));
  maker.initializer("lengths", ir::Tensor::of<std::int32_t>({B}, q.lengths()));
  maker.initializer("h0", floats({q.directions, B, H}, q.h0())).initializer("c0", floats({q.directions, B, H}, q.c0()));
  maker.initializer("p", floats({q.directions, 3 * H}, q.peephole()));
  const bool is_lstm = q.op == "LSTM";
  std::vector<std::string> operands = {"x", "w", "r", "bias", q.has_lengths ? "lengths" : "", "h0"},
                           outputs = {"y", "h"};
  if (is_lstm) {
    operands.insert(operands.end(), {"c0", "p"});
    outputs.emplace_back("c");
  }
  for (const auto& name : outputs) maker.output(name);
  auto& node = maker.node(q.op, operands, outputs);
  set_int(node, "hidden_size", H);
  if (q.op == "GRU") set_int(node, "linear_before_reset", q.linear_before_reset ? 1 : 0);
  if (is_lstm) set_int(node, "input_forget", q.input_forget ? 1 : 0);
  if (q.directions == 2 || q.reverse) set_text(node, "direction", q.reverse ? "reverse" : "bidirectional");
  if (q.clip > 0) set_real(node, "clip", static_cast<float>(q.clip));
  set_texts(node, "activations", q.names);
  if (!q.alpha.empty()) set_reals(node, "activation_alpha", q.alpha);
  if (!q.beta.empty()) set_reals(node, "activation_beta", q.beta);
  const auto made = maker.run_all({{"x", floats({T, B, I}, q.x())}});
  const Answer right = answer(q);
  EXPECT_EQ(made[0].shape(), (ir::Shape{T, q.directions, B, H}));
  EXPECT_THAT(numbers(made[0]), Pointwise(DoubleNear(1e-5), right.y));
  EXPECT_THAT(numbers(made[1]), Pointwise(DoubleNear(1e-5), right.h));
  if (!is_lstm) return;
  EXPECT_THAT(numbers(made[2]), Pointwise(DoubleNear(1e-5), right.c));
}

double relu(double x) { return std::max(x, 0.0); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double hyperbolic(double x) { return std::tanh(x); }
Function leaky(double alpha) {
  return [=](double x) { return x >= 0 ? x : alpha * x; };
}
Function hard(double alpha, double beta) {
  return [=](double x) { return std::min(std::max(alpha * x + beta, 0.0), 1.0); };
}

TEST(OnnxRecurrentSteps, OfEachFunction) {
  const auto rnn = [](const std::string& name, const std::vector<float>& alpha, const std::vector<float>& beta,
                      const Function& function) {
    expect({.op = "RNN", .gates = 1, .names = {name}, .alpha = alpha, .beta = beta, .functions = {function}});
  };
  rnn("LeakyRelu", {}, {}, leaky(0.01f));
  rnn("LeakyRelu", {0.25f}, {}, leaky(0.25));
  rnn("affine", {0.5f}, {0.25f}, [](double x) { return 0.5 * x + 0.25; });
  rnn("Affine", {}, {}, [](double x) { return x; });
  rnn("ThresholdedRelu", {0.5f}, {}, [](double x) { return x >= 0.5 ? x : 0; });
  rnn("ScaledTanh", {1.5f}, {0.5f}, [](double x) { return 1.5 * std::tanh(0.5 * x); });
  rnn("Elu", {0.5f}, {}, [](double x) { return x >= 0 ? x : 0.5 * std::expm1(x); });
  rnn("HardSigmoid", {0.25f}, {}, hard(0.25, 0.5));
}

TEST(OnnxRecurrentSteps, ParametersGoToThoseWhoTakeThem) {
  expect({.op = "LSTM",
          .gates = 4,
          .names = {"HardSigmoid", "Tanh", "LeakyRelu"},
          .alpha = {0.25f, 0.125f},
          .beta = {0.75f},
          .functions = {hard(0.25, 0.75), hyperbolic, leaky(0.125)}});
}

TEST(OnnxRecurrentSteps, DirectionsWithFunctionsOfTheirOwn) {
  const Question rnn{
      .op = "RNN", .gates = 1, .directions = 2, .names = {"Tanh", "Relu"}, .functions = {hyperbolic, relu}};
  expect(rnn);
  Question gru{.op = "GRU",
               .gates = 3,
               .directions = 2,
               .has_lengths = true,
               .names = {"Sigmoid", "LeakyRelu", "HardSigmoid", "Tanh"},
               .alpha = {0.5f, 0.25f},
               .functions = {sigmoid, leaky(0.5), hard(0.25, 0.5), hyperbolic}};
  expect(gru);
  gru.linear_before_reset = true;
  expect(gru);
}

TEST(OnnxRecurrentSteps, LengthsClipAndTheWayBack) {
  Question lstm{.op = "LSTM",
                .gates = 4,
                .reverse = true,
                .has_lengths = true,
                .clip = 0.5,
                .names = {"Sigmoid", "Tanh", "LeakyRelu"},
                .functions = {sigmoid, hyperbolic, leaky(0.01f)}};
  expect(lstm);
  lstm.input_forget = true;
  expect(lstm);
}

}  // namespace
}  // namespace plumb::tests::recurrent_steps_test
