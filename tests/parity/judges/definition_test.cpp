// Ops without a limit in closed form are judged over a definition (verdict.md V65, V66): by sign runs, or by the error
// models of its ops one behind the other.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/op_list.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/unary.hpp"
#include "ir/schema.hpp"
#include "parity/judges/limits.hpp"
#include "parity/judges/node_judge.hpp"
#include "tests/parity/judges/stand_ins.hpp"

namespace plumb::testing {

/// softmax(x·w)·v by rows, which nothing but its definition says how to judge.
struct StandInMixer : StandIn {
  static constexpr auto name = "stand_in_mixer";
  static constexpr std::array inputs = {ir::Input{"x", ir::dtypes::R, "[n, k]"},
                                        ir::Input{"w", ir::dtypes::R, "[k, m]", "x"},
                                        ir::Input{"v", ir::dtypes::R, "[m, d]", "x"}};
  static constexpr std::array outputs = {ir::Output{"y", "[n, d]"}};
  ir::TensorTypes infer(ir::Types in) const { return {{in[0].dtype, {in[0].shape[0], in[2].shape[1]}}}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::comp; }
  bool operator==(const StandInMixer&) const = default;
};

/// (x·w)² by elements: a short definition.
struct StandInPower : StandIn {
  static constexpr auto name = "stand_in_power";
  static constexpr std::array inputs = {ir::Input{"x", ir::dtypes::R, "[n, k]"},
                                        ir::Input{"w", ir::dtypes::R, "[k, m]", "x"}};
  static constexpr std::array outputs = {ir::Output{"y", "[n, m]"}};
  ir::TensorTypes infer(ir::Types in) const { return {{in[0].dtype, {in[0].shape[0], in[1].shape[1]}}}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::comp; }
  bool operator==(const StandInPower&) const = default;
};

}  // namespace plumb::testing

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInMixer>();
template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInPower>();

namespace plumb::parity::judges::definition_test {
namespace {

using namespace plumb::testing;

template <class R>
struct Product {
  std::size_t rows, inner, columns;
  std::vector<R> operator()(const std::vector<R>& a, const std::vector<R>& b, Order order) const {
    std::vector<R> y;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        y.push_back(dot<R>(
            inner, order, [&](std::size_t k) { return a[i * inner + k]; },
            [&](std::size_t k) { return b[k * columns + j]; }));
    return y;
  }
};

template <class R>
std::vector<R> mixed(const std::vector<R>& x, const std::vector<R>& w, const std::vector<R>& v, std::size_t n,
                     Order order) {
  const std::size_t k = x.size() / n, m = w.size() / k, d = v.size() / m;
  std::vector<R> s = Product<R>{n, k, m}(x, w, order);
  for (std::size_t i = 0; i < n; ++i) {
    R top = s[i * m], total = 0;
    for (std::size_t j = 0; j < m; ++j) top = std::max(top, s[i * m + j]);
    for (std::size_t j = 0; j < m; ++j) total += s[i * m + j] = std::exp(s[i * m + j] - top);
    for (std::size_t j = 0; j < m; ++j) s[i * m + j] /= total;
  }
  return Product<R>{n, m, d}(s, v, order);
}

template <class R>
std::vector<R> powered(const std::vector<R>& x, const std::vector<R>& w, std::size_t n, Order order) {
  const std::size_t k = x.size() / n;
  std::vector<R> y = Product<R>{n, k, w.size() / k}(x, w, order);
  for (R& one : y) one *= one;
  return y;
}

void run_mixer(const ir::Op&, ref_cpu::Call& call) {
  write(mixed(values_of<double>(call.in(0)), values_of<double>(call.in(1)), values_of<double>(call.in(2)),
              static_cast<std::size_t>(call.in(0).shape()[0]), Order::in_order),
        call.out(0));
}
void run_power(const ir::Op&, ref_cpu::Call& call) {
  write(powered(values_of<double>(call.in(0)), values_of<double>(call.in(1)),
                static_cast<std::size_t>(call.in(0).shape()[0]), Order::in_order),
        call.out(0));
}

judges::definitions::Definition mixer_of(const Question& question) {
  judges::definitions::Definition made =
      judges::definitions::begin(ir::TensorTypes{question.in_type(0), question.in_type(1), question.in_type(2)});
  const ir::Value s = made.graph.add("s", ir::ops::Matmul{}, {made.operands[0], made.operands[1]});
  const ir::Value p = made.graph.add("p", ir::ops::Softmax{.axis = 1}, {s});
  made.graph.returns(made.graph.add("y", ir::ops::Matmul{}, {p, made.operands[2]}));
  return made;
}

judges::definitions::Definition power_of(const Question& question) {
  judges::definitions::Definition made =
      judges::definitions::begin(ir::TensorTypes{question.in_type(0), question.in_type(1)});
  const ir::Value s = made.graph.add("s", ir::ops::Matmul{}, {made.operands[0], made.operands[1]});
  made.graph.returns(made.graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {s, s}));
  return made;
}

const Taught mixer{StandInMixer{}, run_mixer,
                   [](const Question& question) { return propagated(question, mixer_of(question)); }};
const Taught power{StandInPower{}, run_power,
                   [](const Question& question) { return judge_composed(question, power_of(question)); }};

const Taught power_by_runs{StandInPower{}, run_power,
                           [](const Question& question) { return propagated(question, power_of(question)); }};

std::vector<float> narrow(const std::vector<double>& numbers, double scale = 1) {
  std::vector<float> made;
  for (const double x : numbers) made.push_back(static_cast<float>(scale * x));
  return made;
}

struct MixerCase {
  std::int64_t n = 3, k, m = 6, d = 5;
  std::vector<float> x, w, v;
  MixerCase(std::string_view kind, std::int64_t inner) : k(inner) {
    const auto of = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    x = narrow(hard_numbers(kind, of(n * k), 20));
    v = narrow(hard_numbers("normal", of(m * d), 22));
    w = narrow(hard_numbers("normal", of(k * m), 21), 1 / std::sqrt(static_cast<double>(k)));
  }
  std::vector<ir::Tensor> inputs() const {
    return {ir::Tensor::of<float>({n, k}, x), ir::Tensor::of<float>({k, m}, w), ir::Tensor::of<float>({m, d}, v)};
  }
  std::vector<float> run(Order order) const { return mixed(x, w, v, 3, order); }
  std::vector<cases::NodeResult> say(const std::vector<float>& y) const {
    return judged(mixer, inputs(), {ir::Tensor::of<float>({n, d}, y)});
  }
};

constexpr std::int64_t inner_sizes[] = {1, 7, 40, 500};

TEST(Judge, MixerHoldsForHonestKernels) {
  for (const std::string_view kind : {"normal", "alternating", "constant", "scaled"})
    for (const std::int64_t k : inner_sizes)
      for (const Order order : orders) {
        const MixerCase one(kind, k);
        const auto results = one.say(one.run(order));
        EXPECT_EQ(finding(results), "") << kind << ' ' << k;
        EXPECT_LT(largest_ratio(results), 0.7) << kind << ' ' << k;
      }
}

TEST(Judge, MixerSeesItsFaults) {
  const MixerCase one("normal", 40);
  const auto clean = one.run(Order::in_order);
  auto off = clean;
  off[4] *= 1 + 1e-4f;
  EXPECT_NE(finding(one.say(off)), "");
  MixerCase lost = one, blunt = one;
  lost.x[17] = 0;
  EXPECT_NE(finding(one.say(lost.run(Order::in_order))), "") << "a term";
  for (float& w : blunt.w) w = std::nearbyint(w * 0x1p12f) * 0x1p-12f;
  EXPECT_NE(finding(one.say(blunt.run(Order::in_order))), "") << "weights of few bits";
  off = clean;
  std::swap(off[0], off[1]);
  EXPECT_NE(finding(one.say(off)), "");
}

TEST(Judge, DeviationsByADefinitionAreThoseOfAnyLambda) {
  const MixerCase one("normal", 40);
  expect_deviations_without_lambda(mixer, one.inputs(), {ir::Tensor::of<float>({3, 5}, one.run(Order::in_order))});
  const std::vector<ir::Tensor> inputs = {ir::Tensor::of<float>({3, 40}, one.x), ir::Tensor::of<float>({40, 6}, one.w)};
  const std::vector<float> y = powered(one.x, one.w, 3, Order::in_order);
  expect_deviations_without_lambda(power, inputs, {ir::Tensor::of<float>({3, 6}, y)});
}

TEST(Definition, MixerIsTheOp) {
  const MixerCase one("normal", 40);
  // The definition in f64 gives the result of the op's own kernel: its truth, rounded, is within a few units.
  const auto results = one.say(values_of<float>(rounded_truth(mixer, one.inputs())[0]));
  EXPECT_LT(results[0].local.max_rel.value, 0x1p-23);
  EXPECT_LT(results[0].local.ratio(), 0.2);
}

TEST(Judge, PowerHoldsForHonestKernelsWhateverTheOrderOfItsTerms) {
  for (const std::string_view kind : number_kinds)
    for (const std::int64_t k : {1, 9, 64, 2000})
      for (const Order order : orders) {
        const auto count = static_cast<std::size_t>(k);
        const auto x = narrow(hard_numbers(kind, 2 * count, 23)), w = narrow(hard_numbers("constant", 2 * count, 24));
        const std::vector<ir::Tensor> inputs = {ir::Tensor::of<float>({2, k}, x), ir::Tensor::of<float>({k, 2}, w)};
        auto y = powered(x, w, 2, order);
        const auto say = [&] { return finding(judged(power, inputs, {ir::Tensor::of<float>({2, 2}, y)})); };
        EXPECT_EQ(say(), "") << kind << ' ' << k;
        if (kind != "normal") continue;
        y[3] += std::abs(y[3]) * 1e-2f + 1e-2f;
        EXPECT_NE(say(), "") << kind << ' ' << k;
      }
}

/// Sums that rise and fall round far more than the mean over all orders of their terms, which sign runs add at first.
TEST(Judge, SignRunsLookCloselyAtSumsThatRiseAndFall) {
  constexpr std::size_t count = 4000, rows = 6;
  std::vector<float> x = narrow(hard_numbers("normal", rows * count, 25), 0.01),
                     w = narrow(hard_numbers("normal", count, 26), 0.001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += i % count < count / 2 ? 1.0f : -0.99f;
  for (float& one : w) one += 1.0f / 3;
  const std::vector<ir::Tensor> inputs = {ir::Tensor::of<float>({rows, count}, x),
                                          ir::Tensor::of<float>({count, 1}, w)};
  std::vector<float> y = powered(x, w, rows, Order::in_order);
  const auto say = [&] { return judged(power_by_runs, inputs, {ir::Tensor::of<float>({rows, 1}, y)}); };
  EXPECT_EQ(finding(say()), "");
  EXPECT_LT(largest_ratio(say()), 0.6);
  y[3] *= 1.01f;
  EXPECT_NE(finding(say()), "");
}

TEST(Judge, EveryOpHasAKind) {
  for (const ir::OpSchema* const schema : ir::all_schemas()) {
    // Ops that lack a required attribute cannot be made: their class says it, or a table has them whatever they hold.
    EXPECT_NE(way_of_judging(schema->defaults()), "") << schema->name;
  }
}

}  // namespace
}  // namespace plumb::parity::judges::definition_test
