// Verify and power judge by the judge of an op, and its rows are as those of any other.
#include "parity/judges/node_judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/schema.hpp"
#include "parity/judges/lines.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/power/power.hpp"
#include "parity/verify/verify.hpp"
#include "tests/parity/judges/stand_ins.hpp"

namespace plumb::testing {

/// Walsh's transform of lines of 8: sums and differences alone.
struct StandInWalsh : StandIn {
  static constexpr auto name = "stand_in_walsh";
  static constexpr std::array inputs = {ir::Input{"x", ir::dtypes::R, "[.., 8]"}};
  static constexpr std::array outputs = {ir::Output{"y", "as x"}};
  ir::TensorTypes infer(ir::Types in) const { return {in[0]}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::norm; }
  bool operator==(const StandInWalsh&) const = default;
};

}  // namespace plumb::testing

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInWalsh>();

namespace plumb::parity::judges::node_judge_test {
namespace {

using namespace plumb::testing;

template <class R>
void transform(ref_cpu::Call& call, R factor) {
  auto y = values_of<R>(call.in(0));
  for (std::size_t first = 0; first < y.size(); first += 8)
    for (std::size_t half = 1; half < 8; half *= 2)
      for (std::size_t i = 0; i < 8; ++i)
        if ((i & half) == 0) {
          const R a = y[first + i], b = y[first + i + half];
          y[first + i] = a + b;
          y[first + i + half] = (a - b) * factor;
        }
  write(y, call.out(0));
}

void run_walsh(const ir::Op&, ref_cpu::Call& call) {
  if (call.in(0).dtype() == ir::DType::f64)
    transform<double>(call, 1);
  else
    transform<float>(call, 1);
}
void run_spoilt(const ir::Op&, ref_cpu::Call& call) { transform<float>(call, 1.00001f); }

std::shared_ptr<const ExtraJudges> walsh_judge() {
  ExtraJudges extra;
  extra.by_op.emplace(&ir::schema<StandInWalsh>(), [](const ir::Op&) {
    return std::optional<Judge>([](const Question& question) -> Judgement {
      const compare::Line line = compare::Line::along(question.out_type(0).shape, -1);
      return {{judge_transform(question, 0, question.in[0], {.length = 8, .line_x = line, .line_y = line})}};
    });
  });
  return std::make_shared<const ExtraJudges>(std::move(extra));
}

/// A graph of the op, and who runs it.
struct WalshCase {
  explicit WalshCase(ref_cpu::ErasedKernel kernel)
      : reference({.threads = 1, .extra_kernels = {{&ir::schema<StandInWalsh>(), run_walsh}}}),
        candidate({.threads = 1, .extra_kernels = {{&ir::schema<StandInWalsh>(), kernel}}}) {
    auto file = std::make_shared<ir::formats::GraphFile>();
    const ir::Value x = file->graph.input("x", {ir::DType::f32, {6, 8}});
    file->graph.returns(file->graph.add("y", StandInWalsh{}, {x}));
    subject.name = "walsh";
    subject.file = file;
    subject.feeds.emplace("x", floats({6, 8}, hard_numbers("normal", 48, 30)));
  }

  ref_cpu::CpuExecutor reference, candidate;
  cases::Case subject;
  cases::Observer quiet;

  cases::Executors executors() { return {.reference = reference, .candidate = &candidate, .candidate_is_host = true}; }
  cases::NodeResult verified() {
    return verify::verify(subject, executors(), {.extra_judges = walsh_judge()}, quiet).nodes.at(0);
  }
};

TEST(Judge, VerifyAsksTheJudgeOfAnOp) {
  const auto honest = WalshCase(run_walsh).verified();
  EXPECT_EQ(honest.verdict, core::Verdict::passed) << honest.why;
  EXPECT_EQ(honest.units.kind, cases::UnitKind::line);
  EXPECT_EQ(honest.units.count, 6u);
  EXPECT_EQ(honest.telling.informative, 48u);
  EXPECT_GT(honest.sensitivity.share, 0.9);
  EXPECT_TRUE(std::isnan(honest.local.sigma_max));  // no λ changes the limit of a line
  const auto spoilt = WalshCase(run_spoilt).verified();
  EXPECT_EQ(spoilt.verdict, core::Verdict::failed);
  EXPECT_TRUE(spoilt.is_guilty);
  EXPECT_THAT(spoilt.why, ::testing::HasSubstr("6 of 6 lines are beyond their limit; the worst is"));
}

/// Units that are judged together count among those that may fail by chance, and are allowed as many deviations as the
/// rest of the run (verdict.md V51, V52).
TEST(Judge, AllowsForTheDeviationsOfTheRun) {
  WalshCase one(run_walsh);
  double asked = 0;
  auto extra = *walsh_judge();
  auto& make = extra.by_op.at(&ir::schema<StandInWalsh>());
  make = [&asked, judge = *make(StandInWalsh{})](const ir::Op&) {
    return std::optional<Judge>([&asked, judge](const Question& question) {
      asked = question.lambda;
      return judge(question);
    });
  };
  policy::Gate gate;
  gate.policy.budget.false_alarm_per_run = 0.01;
  const auto result =
      verify::verify(one.subject, one.executors(),
                     {.gate = &gate, .extra_judges = std::make_shared<const ExtraJudges>(extra)}, one.quiet);
  EXPECT_EQ(result.false_alarms.n_limits, 48u);
  EXPECT_DOUBLE_EQ(asked, std::sqrt(2 * std::log(4 * 48 / 0.01)));
  EXPECT_DOUBLE_EQ(result.nodes.at(0).lambda, asked);
}

TEST(Judge, AnOpThatNobodyJudgesIsAnErrorOfTheHarness) {
  WalshCase one(run_walsh);
  const auto result = verify::verify(one.subject, one.executors(), {}, one.quiet).nodes.at(0);
  EXPECT_EQ(result.verdict, core::Verdict::error);
  EXPECT_EQ(result.why, "no model of 'stand_in_walsh'");
}

TEST(Judge, PowerPlantsFaultsAndAsksTheSameJudge) {
  WalshCase one(run_walsh);
  power::Options options;
  options.extra_judges = walsh_judge();
  const power::Result result = power::measure(one.subject, one.executors(), options, one.quiet);
  EXPECT_GT(result.count(power::Outcome::caught), 10u);
  for (const power::Trial& trial : result.nodes.at(0).trials)
    if (trial.is_required()) {
      EXPECT_NE(trial.outcome, power::Outcome::missed) << trial.fault->name;
    }
}

TEST(Judge, ATotalIsNotHeldToALimitThatIsNotItsOwn) {
  WalshCase one(run_walsh);
  const auto result = verify::verify(one.subject, one.executors(),
                                     {.mode = core::Mode::propagate, .extra_judges = walsh_judge()}, one.quiet);
  EXPECT_EQ(result.nodes.at(0).verdict, core::Verdict::passed);
  EXPECT_FALSE(result.nodes.at(0).gates_total);
}

}  // namespace
}  // namespace plumb::parity::judges::node_judge_test
