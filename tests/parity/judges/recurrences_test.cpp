// States made of the ones before them (verdict.md V69): a scan whose state is carried, a step that is held to the
// candidate's own step before, and a cell that nobody sees.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/binary.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/unary.hpp"
#include "ir/schema.hpp"
#include "parity/judges/recurrence.hpp"
#include "tests/parity/judges/stand_ins.hpp"

namespace plumb::testing {

/// h_t = e^d_t·h_{t−1} + x_t for every channel, from 0 on; all states are outputs.
struct StandInScan : StandIn {
  static constexpr auto name = "stand_in_scan";
  static constexpr std::array inputs = {ir::Input{"d", ir::dtypes::R, "[T, C]"},
                                        ir::Input{"x", ir::dtypes::R, "[T, C]", "d"}};
  static constexpr std::array outputs = {ir::Output{"h", "as x"}};
  ir::TensorTypes infer(ir::Types in) const { return {in[1]}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::comp; }
  bool operator==(const StandInScan&) const = default;
};

/// h_t = tanh(x_t·w + h_{t−1}·r), from 0 on.
struct StandInRnn : StandIn {
  static constexpr auto name = "stand_in_rnn";
  static constexpr std::array inputs = {ir::Input{"x", ir::dtypes::R, "[T, I]"},
                                        ir::Input{"w", ir::dtypes::R, "[I, H]", "x"},
                                        ir::Input{"r", ir::dtypes::R, "[H, H]", "x"}};
  static constexpr std::array outputs = {ir::Output{"h", "[T, H]"}};
  ir::TensorTypes infer(ir::Types in) const { return {{in[0].dtype, {in[0].shape[0], in[1].shape[1]}}}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::comp; }
  bool operator==(const StandInRnn&) const = default;
};

/// i, o, f, g = x_t·w + h_{t−1}·r; c_t = σ(f)c_{t−1} + σ(i)tanh(g); h_t = σ(o)tanh(c_t). The last cell is an output.
struct StandInLstm : StandIn {
  static constexpr auto name = "stand_in_lstm";
  static constexpr std::array inputs = {ir::Input{"x", ir::dtypes::R, "[T, I]"},
                                        ir::Input{"w", ir::dtypes::R, "[I, 4H]", "x"},
                                        ir::Input{"r", ir::dtypes::R, "[H, 4H]", "x"}};
  static constexpr std::array outputs = {ir::Output{"h", "[T, H]"}, ir::Output{"c", "[1, H]"}};
  ir::TensorTypes infer(ir::Types in) const {
    const ir::DType dtype = in[0].dtype;
    return {{dtype, {in[0].shape[0], in[2].shape[0]}}, {dtype, {1, in[2].shape[0]}}};
  }
  ir::ErrorClass error_class() const { return ir::ErrorClass::comp; }
  bool operator==(const StandInLstm&) const = default;
};

}  // namespace plumb::testing

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInScan>();
template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInRnn>();
template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInLstm>();

namespace plumb::parity::judges::recurrences_test {
namespace {

using namespace plumb::testing;

/// Step by step or, in the other order, by chunks of 4 whose products are joined.
template <class R>
std::vector<R> scanned(const std::vector<R>& d, const std::vector<R>& x, std::size_t channels, Order order) {
  std::vector<R> h(x.size());
  const std::size_t steps = x.size() / channels, chunk = order == Order::in_order ? 1 : 4;
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t first = 0; first < steps; first += chunk) {
      R factor = 1, own = 0;
      for (std::size_t t = first; t < std::min(steps, first + chunk); ++t) {
        const R a = std::exp(d[t * channels + c]);
        factor *= a;
        own = a * own + x[t * channels + c];
        h[t * channels + c] = (first == 0 ? R{0} : factor * h[(first - 1) * channels + c]) + own;
      }
    }
  return h;
}

template <class R>
struct Lstm {
  std::size_t inputs, states;
  std::vector<R> x, w, r;

  std::size_t steps() const { return x.size() / inputs; }
  /// σ of a gate, or tanh of the last; gates are columns of w and r.
  R gate(std::size_t t, const std::vector<R>& before, std::size_t g, std::size_t s, Order order) const {
    const std::size_t width = w.size() / inputs, column = g * states + s;
    const R z = dot<R>(
                    inputs, order, [&](std::size_t k) { return x[t * inputs + k]; },
                    [&](std::size_t k) { return w[k * width + column]; }) +
                dot<R>(
                    states, order, [&](std::size_t k) { return before[k]; },
                    [&](std::size_t k) { return r[k * width + column]; });
    if (width == states || g == 3) return std::tanh(z);
    const R e = std::exp(-std::abs(z));  // an exponential of a positive number overflows
    return (z < 0 ? e : 1) / (1 + e);
  }
  std::vector<R> rnn(Order order) const {
    std::vector<R> h, before(states, R{0});
    for (std::size_t t = 0; t < steps(); ++t) {
      std::vector<R> next;
      for (std::size_t s = 0; s < states; ++s) next.push_back(gate(t, before, 0, s, order));
      h.insert(h.end(), next.begin(), next.end());
      before = next;
    }
    return h;
  }
  std::pair<std::vector<R>, std::vector<R>> lstm(Order order) const {
    std::vector<R> h, before(states, R{0}), cell(states, R{0});
    for (std::size_t t = 0; t < steps(); ++t) {
      std::vector<R> next;
      for (std::size_t s = 0; s < states; ++s) {
        cell[s] = gate(t, before, 2, s, order) * cell[s] + gate(t, before, 0, s, order) * gate(t, before, 3, s, order);
        next.push_back(gate(t, before, 1, s, order) * std::tanh(cell[s]));
      }
      h.insert(h.end(), next.begin(), next.end());
      before = next;
    }
    return {h, cell};
  }
};

template <class R>
Lstm<R> lstm_of(const ref_cpu::Call& call) {
  return {static_cast<std::size_t>(call.in(0).shape()[1]), static_cast<std::size_t>(call.in(2).shape()[0]),
          values_of<R>(call.in(0)), values_of<R>(call.in(1)), values_of<R>(call.in(2))};
}

void run_scan(const ir::Op&, ref_cpu::Call& call) {
  const auto channels = static_cast<std::size_t>(call.in(0).shape()[1]);
  write(scanned(values_of<double>(call.in(0)), values_of<double>(call.in(1)), channels, Order::in_order), call.out(0));
}
void run_rnn(const ir::Op&, ref_cpu::Call& call) { write(lstm_of<double>(call).rnn(Order::in_order), call.out(0)); }
void run_lstm(const ir::Op&, ref_cpu::Call& call) {
  const auto [h, c] = lstm_of<double>(call).lstm(Order::in_order);
  write(h, call.out(0));
  write(c, call.out(1));
}

Judgement judge_scan(const Question& question) {
  constexpr double ulps_of_exp = 4;
  const auto d = question.in[0].as<double>(), x = question.in[1].as<double>();
  const auto h = question.truth.outputs[0].as<double>();
  const auto channels = static_cast<std::size_t>(question.out_type(0).shape[1]);
  Limited limited(question.out_type(0).shape);
  std::ranges::copy(h, limited.truth.as<double>().begin());
  for (std::size_t c = 0; c < channels; ++c) {
    CarriedError error(question.unit(0));
    for (std::size_t i = c; i < h.size(); i += channels) {
      const double a = std::exp(d[i]), kept = i < channels ? 0 : a * h[i - channels];
      error.step({a, kept, x[i], h[i], 2 * ulps_of_exp + std::abs(d[i])});
      limited.probable.as<double>()[i] = question.lambda * error.deviation();
      limited.certain.as<double>()[i] = error.certain();
    }
  }
  return {{elements_within(question, 0, std::move(limited))}};
}

/// x·w + before·r of all steps at once.
struct Gates {
  judges::definitions::Definition made;
  ir::Value sum;
  explicit Gates(const Question& question) {
    ir::TensorTypes in;
    for (std::size_t i = 0; i < question.in.size(); ++i) in.push_back(question.in_type(i));
    made = judges::definitions::begin(in);
    const ir::Value before = made.graph.input("before", question.out_type(0));
    const ir::Value of_x = made.graph.add("x w", ir::ops::Matmul{}, {made.operands[0], made.operands[1]});
    const ir::Value of_h = made.graph.add("h r", ir::ops::Matmul{}, {before, made.operands[2]});
    sum = made.graph.add("sum", ir::ops::Binary{ir::ops::BinaryFunction::add}, {of_x, of_h});
  }
};

ir::Tensor zeros(const Question& question) {
  return ir::Tensor({question.out_type(0).dtype, {1, question.out_type(0).shape[1]}});
}

Judgement judge_rnn(const Question& question) {
  Gates gates(question);
  gates.made.graph.returns(gates.made.graph.add("h", ir::ops::Unary{ir::ops::UnaryFunction::tanh}, {gates.sum}));
  return judge_composed(question, gates.made, {{"before", states_before(question.got[0], zeros(question))}});
}

Judgement judge_lstm(const Question& question) {
  Gates gates(question);
  ir::Graph& graph = gates.made.graph;
  const auto parts = graph.add_all(
      "gates", ir::ops::Split{.axis = 1, .sizes = std::vector<std::int64_t>(4, question.out_type(0).shape[1])},
      {gates.sum});
  for (std::size_t g = 0; g < 4; ++g)
    graph.returns(graph.add(ir::cat("gate ", g),
                            ir::ops::Unary{g == 3 ? ir::ops::UnaryFunction::tanh : ir::ops::UnaryFunction::sigmoid},
                            {parts[g]}));
  const auto gate = limits_of(question, gates.made, {{"before", states_before(question.got[0], zeros(question))}}, 1);
  const ir::Shape& shape = question.out_type(0).shape;
  const auto states = static_cast<std::size_t>(shape[1]), count = static_cast<std::size_t>(shape.elements());
  const double u = question.unit(0), lambda = question.lambda;
  Limited h(shape), c(question.out_type(1).shape);
  for (std::size_t s = 0; s < states; ++s) {
    CarriedError error(u);
    double cell = 0;
    for (std::size_t n = s; n < count; n += states) {
      const auto y = [&](std::size_t g) { return gate[g].truth.as<double>()[n]; };
      const auto off = [&](std::size_t g) { return gate[g].probable.as<double>()[n]; };
      const auto most = [&](std::size_t g) { return gate[g].certain.as<double>()[n]; };
      const double next = y(2) * cell + y(0) * y(3);
      const double deviation = std::hypot(off(2) * cell, off(0) * y(3), std::hypot(y(0) * off(3), u * next));
      const double certain =
          most(2) * std::abs(cell) + most(0) * std::abs(y(3)) + y(0) * most(3) + 3 * u * std::abs(next);
      error.step(y(2), deviation, certain);
      cell = next;
      const double bent = std::tanh(cell), slope = 1 - bent * bent, own = (8 + 1) * u * std::abs(y(1) * bent);
      h.truth.as<double>()[n] = y(1) * bent;
      h.probable.as<double>()[n] = lambda * std::hypot(off(1) * bent, y(1) * slope * error.deviation()) + own;
      h.certain.as<double>()[n] = most(1) * std::abs(bent) + y(1) * error.certain() + own;
      c.truth.as<double>()[s] = cell;
      c.probable.as<double>()[s] = lambda * error.deviation();
      c.certain.as<double>()[s] = error.certain();
    }
  }
  return {{elements_within(question, 0, std::move(h)), elements_within(question, 1, std::move(c))}};
}

const Taught scan{StandInScan{}, run_scan, judge_scan};
const Taught rnn{StandInRnn{}, run_rnn, judge_rnn};
const Taught lstm{StandInLstm{}, run_lstm, judge_lstm};

constexpr std::int64_t lengths[] = {1, 5, 32, 300};

std::vector<float> narrow(const std::vector<double>& numbers, double scale = 1) {
  std::vector<float> made;
  for (const double x : numbers) made.push_back(static_cast<float>(scale * x));
  return made;
}

struct ScanCase {
  std::vector<float> d, x;
  ScanCase(std::string_view kind, std::int64_t steps) {
    const auto count = static_cast<std::size_t>(3 * steps);
    d = narrow(hard_numbers("normal", count, 6));
    x = narrow(hard_numbers(kind, count, 7));
    for (float& one : d) one = -0.3f * one * one;
  }
  std::vector<ir::Tensor> inputs() const { return {tensor(d), tensor(x)}; }
  static ir::Tensor tensor(const std::vector<float>& values) {
    return ir::Tensor::of<float>({static_cast<std::int64_t>(values.size() / 3), 3}, values);
  }
};

TEST(Judge, ScanHoldsForHonestKernels) {
  for (const std::string_view kind : number_kinds)
    for (const std::int64_t steps : lengths)
      for (const Order order : orders) {
        const ScanCase one(kind, steps);
        const auto results = judged(scan, one.inputs(), {ScanCase::tensor(scanned(one.d, one.x, 3, order))});
        EXPECT_EQ(finding(results), "") << kind << ' ' << steps;
        EXPECT_EQ(results[0].units.kind, cases::UnitKind::element);
      }
}

TEST(Judge, ScanSeesItsFaults) {
  const ScanCase one("normal", 32);
  const auto is_seen = [&](const std::vector<float>& h) {
    return !finding(judged(scan, one.inputs(), {ScanCase::tensor(h)})).empty();
  };
  auto late = one.d, blunt = one.d;
  for (std::size_t i = 3; i < late.size(); ++i) late[i] = one.d[i - 3];
  for (float& d : blunt) d += 0x1p-14f;
  EXPECT_TRUE(is_seen(scanned(late, one.x, 3, Order::in_order))) << "the factor of the step before";
  EXPECT_TRUE(is_seen(scanned(blunt, one.x, 3, Order::in_order))) << "an exponential to 14 bits";
  auto dropped = scanned(one.d, one.x, 3, Order::in_order);
  for (std::size_t c = 0; c < 3; ++c) dropped[16 * 3 + c] = one.x[16 * 3 + c];
  EXPECT_TRUE(is_seen(dropped)) << "a state that is not handed on";
}

TEST(Judge, RnnHoldsForHonestKernelsAndNamesTheStepThatIsOff) {
  for (const std::string_view kind : number_kinds)
    for (const std::int64_t steps : lengths)
      for (const Order order : orders) {
        const auto count = static_cast<std::size_t>(steps);
        const Lstm<float> net{4, 5, narrow(hard_numbers(kind, 4 * count, 8)),
                              narrow(hard_numbers("normal", 20, 9), 0.5), narrow(hard_numbers("normal", 25, 10), 0.7)};
        const std::vector<ir::Tensor> inputs = {ir::Tensor::of<float>({steps, 4}, net.x),
                                                ir::Tensor::of<float>({4, 5}, net.w),
                                                ir::Tensor::of<float>({5, 5}, net.r)};
        auto h = net.rnn(order);
        const auto results = judged(rnn, inputs, {ir::Tensor::of<float>({steps, 5}, h)});
        EXPECT_EQ(finding(results), "") << kind << ' ' << steps;
        if (kind != "normal" || steps < 5) continue;
        // One step is off; those after it go on from what it gave, and are right.
        const std::size_t at = 3 * 5 + 2;
        h[at] += 1e-5f;
        Lstm<float> rest = net;
        std::vector<float> before(h.begin() + 15, h.begin() + 20);
        for (std::size_t t = 4; t < rest.steps(); ++t) {
          std::vector<float> next;
          for (std::size_t s = 0; s < 5; ++s) next.push_back(net.gate(t, before, 0, s, order));
          std::ranges::copy(next, h.begin() + static_cast<std::ptrdiff_t>(5 * t));
          before = next;
        }
        const auto faulty = judged(rnn, inputs, {ir::Tensor::of<float>({steps, 5}, h)});
        EXPECT_EQ(faulty[0].local.n_bad, 1u);
        EXPECT_EQ(faulty[0].local.worst.front().index, at);
      }
}

TEST(Judge, LstmHoldsForHonestKernelsAndSeesItsFaults) {
  for (const std::string_view kind : number_kinds)
    for (const std::int64_t steps : lengths)
      for (const Order order : orders) {
        const auto count = static_cast<std::size_t>(steps);
        const Lstm<float> net{4, 3, narrow(hard_numbers(kind, 4 * count, 11)),
                              narrow(hard_numbers("normal", 48, 12), 0.5), narrow(hard_numbers("normal", 36, 13), 0.7)};
        const std::vector<ir::Tensor> inputs = {ir::Tensor::of<float>({steps, 4}, net.x),
                                                ir::Tensor::of<float>({4, 12}, net.w),
                                                ir::Tensor::of<float>({3, 12}, net.r)};
        auto [h, c] = net.lstm(order);
        const auto say = [&](const std::vector<float>& of_h, const std::vector<float>& of_c) {
          return finding(
              judged(lstm, inputs, {ir::Tensor::of<float>({steps, 3}, of_h), ir::Tensor::of<float>({1, 3}, of_c)}));
        };
        EXPECT_EQ(say(h, c), "") << kind << ' ' << steps;
        if (kind != "normal" || steps < 5) continue;
        auto spoilt = c;
        spoilt[1] *= 1 + 1e-4f;
        EXPECT_NE(say(h, spoilt), "") << "a cell";
        Lstm<float> swapped = net;  // the gates of input and output
        for (std::size_t k = 0; k < 4; ++k)
          for (std::size_t s = 0; s < 3; ++s) std::swap(swapped.w[k * 12 + s], swapped.w[k * 12 + 3 + s]);
        const auto other = swapped.lstm(order);
        EXPECT_NE(say(other.first, other.second), "");
      }
}

TEST(Recurrence, StatesBeforeAreThoseOneStepLater) {
  const ir::Tensor states = ir::Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}),
                   first = ir::Tensor::of<float>({2}, {7, 8});
  const auto numbers = [](const ir::Tensor& x) {
    return std::vector<float>(x.as<float>().begin(), x.as<float>().end());
  };
  EXPECT_EQ(numbers(states_before(states, first)), (std::vector<float>{7, 8, 1, 2, 3, 4}));
  EXPECT_EQ(numbers(states_before(states, first, true)), (std::vector<float>{3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace plumb::parity::judges::recurrences_test
