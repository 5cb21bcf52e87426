// A loop whose body is a graph (verdict.md V71), with and without a trace of its iterations.
#include "parity/judges/control_flow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/binary.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/constant.hpp"
#include "ir/schema.hpp"
#include "tests/parity/judges/stand_ins.hpp"

namespace plumb::testing {

/// while x·factor < limit: x ← x·factor + step; then x, limit, factor, step and the number of iterations, at most 400.
struct StandInWhile : StandIn {
  static constexpr auto name = "stand_in_while";
  static constexpr std::array inputs = {
      ir::Input{"x", ir::dtypes::R, "[]"}, ir::Input{"limit", ir::dtypes::R, "[]", "x"},
      ir::Input{"factor", ir::dtypes::R, "[]", "x"}, ir::Input{"step", ir::dtypes::R, "[]", "x"}};
  static constexpr std::array outputs = {ir::Output{"x", "as x"}, ir::Output{"limit", "as x"},
                                         ir::Output{"factor", "as x"}, ir::Output{"step", "as x"},
                                         ir::Output{"iterations", "i64 []"}};
  ir::TensorTypes infer(ir::Types in) const { return {in[0], in[0], in[0], in[0], {ir::DType::i64, {}}}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::comp; }
  bool operator==(const StandInWhile&) const = default;
};

}  // namespace plumb::testing

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInWhile>();

namespace plumb::parity::judges::control_flow_test {
namespace {

using namespace plumb::testing;
constexpr std::int64_t most = 400;

/// What a loop came to, and what it had before each iteration and after the last.
template <class R>
struct Ran {
  R x;
  std::int64_t count = 0;
  std::vector<R> seen;
};
template <class R>
Ran<R> run_loop(R x, R limit, R factor, R step, bool is_fused) {
  Ran<R> ran{x, 0, {x}};
  while (ran.count < most && ran.x * factor < limit) {
    ran.x = is_fused ? std::fma(ran.x, factor, step) : ran.x * factor + step;
    ++ran.count, ran.seen.push_back(ran.x);
  }
  return ran;
}

void run_while(const ir::Op&, ref_cpu::Call& call) {
  const auto at = [&](std::size_t i) { return values_of<double>(call.in(i))[0]; };
  const auto ran = run_loop<double>(at(0), at(1), at(2), at(3), false);
  write(std::vector<double>{ran.x}, call.out(0));
  for (std::size_t i = 1; i < 4; ++i) write(std::vector<double>{at(i)}, call.out(i));
  write(std::vector<std::int64_t>{ran.count}, call.out(4));
}

Loop loop_of(ir::DType dtype) {
  Loop loop;
  loop.most = most;
  const auto begin = [&](ir::Graph& graph) {
    std::vector<ir::Value> carried;
    for (const char* name : {"x", "limit", "factor", "step"}) carried.push_back(graph.input(name, {dtype, {}}));
    return carried;
  };
  const auto c = begin(loop.condition);
  const ir::Value grown = loop.condition.add("grown", ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {c[0], c[2]});
  loop.condition.returns(loop.condition.add("less", ir::ops::Compare{ir::ops::Comparison::less}, {grown, c[1]}));
  const auto b = begin(loop.body);
  const ir::Value product = loop.body.add("product", ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {b[0], b[2]});
  loop.body.returns(loop.body.add("next", ir::ops::Binary{ir::ops::BinaryFunction::add}, {product, b[3]}));
  for (std::size_t i = 1; i < 4; ++i) loop.body.returns(b[i]);
  return loop;
}

struct LoopCase {
  float x = 0.1f, limit = 50, factor = 1.09f, step = 0.03f;

  std::vector<ir::Tensor> inputs() const {
    std::vector<ir::Tensor> all;
    for (const float one : {x, limit, factor, step}) all.push_back(ir::Tensor::of<float>({}, {one}));
    return all;
  }
  std::vector<ir::Tensor> outputs(const Ran<float>& ran) const {
    auto all = inputs();
    all[0] = ir::Tensor::of<float>({}, {ran.x});
    all.push_back(ir::Tensor::of<std::int64_t>({}, {ran.count}));
    return all;
  }
  Trace trace(const Ran<float>& ran) const {
    Trace kept;
    for (const float one : ran.seen) {
      kept.push_back(inputs());
      kept.back()[0] = ir::Tensor::of<float>({}, {one});
    }
    return kept;
  }
  Ran<float> run(bool is_fused) const { return run_loop<float>(x, limit, factor, step, is_fused); }
};

/// The loop, judged with this trace or with none.
std::vector<cases::NodeResult> say(const LoopCase& one, const Ran<float>& ran, const Trace* trace) {
  const Taught taught{StandInWhile{}, run_while, [trace](const Question& question) {
                        return judge_loop(question, loop_of(question.out_type(0).dtype), trace);
                      }};
  return judged(taught, one.inputs(), one.outputs(ran));
}

TEST(Judge, WhileHoldsForHonestKernels) {
  for (const float limit : {0.0f, 0.3f, 50.0f})
    for (const float factor : {1.09f, 1.5f})
      for (const bool is_fused : {false, true}) {
        const LoopCase one{.limit = limit, .factor = factor};
        const auto ran = one.run(is_fused);
        const Trace trace = one.trace(ran);
        EXPECT_EQ(finding(say(one, ran, &trace)), "") << limit << ' ' << factor << ' ' << ran.count;
        EXPECT_EQ(finding(say(one, ran, nullptr)), "") << limit << ' ' << factor << ' ' << ran.count;
      }
}

TEST(Judge, WhileSeesItsFaults) {
  const LoopCase one;
  const auto clean = one.run(false);
  ASSERT_GT(clean.count, 20);
  auto shorter = clean;
  --shorter.count, shorter.seen.pop_back(), shorter.x = shorter.seen.back();
  auto longer = clean;
  ++longer.count, longer.x = longer.x * one.factor + one.step, longer.seen.push_back(longer.x);
  for (const auto& faulty : {shorter, longer}) {
    const Trace trace = one.trace(faulty);
    EXPECT_NE(finding(say(one, faulty, &trace)), "");
    EXPECT_THAT(finding(say(one, faulty, nullptr)), ::testing::HasSubstr("iterations"));
  }
  auto off = clean;
  off.x *= 1 + 1e-4f, off.seen.back() = off.x;
  const Trace trace = one.trace(off);
  EXPECT_NE(finding(say(one, off, &trace)), "") << "the last iteration";
  EXPECT_NE(finding(say(one, off, nullptr)), "");
  Trace inside = one.trace(clean);
  inside[7][0].as<float>()[0] *= 1 + 1e-5f;
  EXPECT_NE(finding(say(one, clean, &inside)), "") << "an iteration that nobody sees at the end";
}

TEST(Conditioning, AConditionWithinItsLimitMayGoEitherWay) {
  LoopCase one{.x = 3, .factor = 1.1f, .step = 100};
  const auto exact = [&] { return static_cast<double>(one.x) * static_cast<double>(one.factor); };
  while (!(one.x * one.factor > exact())) one.x += 1;  // in f32 it rounds up, to the limit
  one.limit = one.x * one.factor;
  const auto next = [&](float x) { return x * one.factor + one.step; };
  const float once = next(one.x), twice = next(once);
  const Ran<float> none{one.x, 0, {one.x}}, first{once, 1, {one.x, once}}, second{twice, 2, {one.x, once, twice}};
  for (const auto* const ran : {&none, &first}) {
    const Trace trace = one.trace(*ran);
    EXPECT_EQ(finding(say(one, *ran, &trace)), "") << ran->count;
    EXPECT_EQ(finding(say(one, *ran, nullptr)), "") << ran->count;
  }
  const Trace trace = one.trace(none);
  EXPECT_EQ(say(one, none, &trace)[4].units.decisions.free, 1u);
  const Trace beyond = one.trace(second);
  EXPECT_NE(finding(say(one, second, &beyond)), "");
}

TEST(Judge, ALongLoopWithoutATraceIsApart) {
  const LoopCase one{.limit = 1e6f, .factor = 1, .step = 1};
  const auto ran = one.run(false);
  ASSERT_GT(ran.count, 256);
  const auto untraced = say(one, ran, nullptr);
  EXPECT_EQ(finding(untraced), "");
  EXPECT_EQ(untraced[0].units.untraced, 1u);
  EXPECT_EQ(untraced[0].telling.informative, 0u);
  const Trace trace = one.trace(ran);
  EXPECT_EQ(say(one, ran, &trace)[0].units.count, 1u);
}

}  // namespace
}  // namespace plumb::parity::judges::control_flow_test
