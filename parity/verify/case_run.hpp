#pragma once

#include <algorithm>
#include <exception>
#include <map>

#include "parity/bounds/bounded.hpp"
#include "parity/checks/expected/end_to_end.hpp"
#include "parity/core/regular_expression.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/settle/subject.hpp"
#include "parity/verify/case_state.hpp"
#include "parity/verify/group_runs.hpp"
#include "parity/verify/plain_run.hpp"
#include "parity/verify/stated.hpp"
#include "parity/verify/verify.hpp"
#include "parity/verify/written/written_truth.hpp"

namespace plumb::parity::verify {

/// Runs one case and judges it, node by node: case_run.cpp has the case, judge_node.cpp what happens to one node.
class CaseRun {
 public:
  CaseRun(const cases::Case& subject, const cases::Executors& executors, const VerifyOptions& options,
          cases::Observer& observer);
  cases::CaseResult finish();

  /// Judges these values of a plain run in place of a run of its own, by the limits of the watched run.
  void judge_instead(CandidateRun plain, const compare::FalseAlarms& watched) {
    given_ = std::move(plain);
    result_.false_alarms = watched;
  }
  /// The plain run's values, where these have to be judged as well; nothing else.
  std::optional<CandidateRun> take_tapped() { return std::move(tapped_); }

 private:
  void run_candidate();
  bool try_candidate();
  std::uint64_t count_limits() const;
  bounds::runs::Evaluate limits_of_elements() const;
  void judge_all();
  void stop_at(std::size_t n, const ir::Error& error);

  /// The truth and the limits of a node's outputs on what its segment was fed.
  struct Evaluation {
    bounds::Bounded local = {};
    ir::Feeds fed = {};
    bounds::Manner manner = {};
    std::string no_model = {};           ///< the part that error models lack, if any: then there is only the truth
    std::optional<GroupRuns> runs = {};  ///< judges a group that composed error models say nothing of
  };
  /// The inherited and the total error of an output: the tensors, which are not changed while they are measured, and
  /// the measurements.
  struct Total {
    ir::TensorView truth, local, device;         ///< the truth by the whole graph and by its own operands; the output
    std::optional<ir::TensorView> written = {};  ///< the truth by the graph as it was, where it runs in another dtype
    ir::DType written_in = ir::DType::f32;       ///< the dtype that the output had in it
    std::optional<std::vector<compare::Comparison>> measured = {};  ///< `local` and `device` against `truth`
    compare::Comparison of_written = {};                            ///< `device` against `written`

    void measure();
  };
  /// A candidate's own account of how it adds, held to replays (library.md A).
  struct ClaimTest {
    bool is_there = false;
    bool is_measured = false;  ///< a probe has found it, and no candidate said it
    bool is_less = false;      ///< it says that it sums in less than f32, which no limit allows for
    std::map<std::size_t, cases::ReplaySample> replays = {};  ///< by output

    bool is_tested() const { return sampled() > 0; }
    bool is_believed() const { return (is_tested() || is_measured) && !is_less && !is_refuted(); }
    bool is_refuted() const {
      return std::ranges::any_of(replays, [](const auto& one) { return one.second.refutes(); });
    }

   private:
    std::uint32_t sampled() const {
      std::uint32_t asked = 0;
      for (const auto& [k, sample] : replays) asked += sample.asked;
      return asked;
    }
  };
  /// A node by itself: nothing of it depends on the results of other nodes, until it is carried on.
  struct Examined {
    bool compares = false;  ///< whether there was something to compare; nothing else is set where there was not
    Evaluation own = {};
    std::vector<ir::Sum> sums = {};  ///< how the kernel adds, as far as it is believed
    ClaimTest claim = {};
    core::JudgedOutput judged = {};
    std::vector<cases::NodeResult> results = {};    ///< by output
    bool is_joint = false;                          ///< whether its outputs were judged together
    std::map<std::size_t, ir::Tensor> truths = {};  ///< then, by output, the truth it was compared with
    std::map<std::size_t, Total> totals = {};       ///< by output, of those that have one; known when it is carried on
    std::exception_ptr problem = nullptr;           ///< the exception that was thrown on the way

    /// The truth that output `k` was compared with.
    const ir::Tensor& truth(std::size_t k) const {
      return is_joint && truths.contains(k) ? truths.at(k) : own.local.truth.outputs[k];
    }
  };
  Examined examine_node(std::size_t n) const;
  bool try_carry(std::size_t n, Examined& found);
  void carry(std::size_t n, Examined& found);
  void plan_total(std::size_t n, std::size_t k, Examined& found);
  static void measure_totals(Examined& found);
  void judge_node(std::size_t n, Examined found);
  bool judge_next(std::size_t n, Examined found);
  void skip_without_truth(std::size_t n, std::size_t k, cases::NodeResult& result);
  bool is_chosen(std::size_t n) const;
  CandidateRun run_node(std::size_t n);
  void set_claim_aside(std::size_t n);
  ClaimTest test_claim(std::size_t n, const Evaluation& own) const;
  void evaluate_by_claim(std::size_t n, Examined& found) const;
  void believe(std::size_t n, const Examined& found);
  std::string unbelieved() const;
  std::vector<ir::Sum> published(std::size_t n) const;
  bounds::Manner manner_of(std::size_t n, const std::vector<ir::Sum>& sums) const;
  Evaluation evaluate_node(std::size_t n, const std::vector<ir::Sum>& sums) const;
  std::optional<core::Evaluated> gathered(std::size_t n) const;
  bool is_judged_by_runs(std::size_t n) const;
  void evaluate_by_runs(std::size_t n, Evaluation& own) const;
  void examine_by_runs(std::size_t k, const ir::Tensor& device, Examined& found) const;
  std::string no_model_of_group(std::size_t n, const std::string& lack) const;
  void carry_truth(std::size_t n, const core::Evaluated* local, ir::Feeds fed);
  cases::NodeResult blank(std::size_t n, std::size_t k) const;
  void examine_output(std::size_t k, const settle::Subject& asked, judges::NodeJudge& judge, Examined& found) const;
  void examine_jointly(std::size_t k, const settle::Subject& asked, judges::NodeJudge& judge, Examined& found) const;
  void judge_output(std::size_t n, std::size_t k, cases::NodeResult& result, Examined& found);
  void carry_roundings(std::size_t n);
  void compare_total(const Total& total, cases::NodeResult& result, ValueState& state) const;
  void judge_total(cases::NodeResult& result, const ir::Tensor& device) const;
  const ir::Tensor* given_output(ir::Value value) const;
  void ask_oracles(const Evaluation& own, std::size_t k, cases::NodeResult& result,
                   const settle::Subject& subject) const;
  void replay_sample(const Evaluation& own, std::size_t k, cases::NodeResult& result,
                     const settle::Subject& subject) const;
  void ask_sample(const Evaluation& own, std::size_t k, cases::NodeResult& result,
                  const settle::Subject& subject) const;
  double amplification_of(std::size_t n, const compare::Comparison& inherited) const;
  void decide(cases::NodeResult& result, const policy::Judgement& gate, const std::string& refuted);
  bool is_given(std::size_t n) const;
  bool moves_zeros(std::size_t n) const;
  void follow_exactly(std::size_t n, ir::Value value, cases::NodeResult& result);
  void hand_on(std::size_t n);

  void decide_case(std::span<const core::Verdict> nodes);
  void judge_expected();
  void assign_blame();

  bool is_foreign() const { return executors_.foreign != nullptr; }
  bool isolates() const { return options_.mode == core::Mode::isolate; }
  bool must_be_exact(std::size_t n) const {
    return !subject_.proofs.empty() && subject_.proofs[n].exact == core::Exactness::proved;
  }

  const cases::Case& subject_;
  const ir::Graph& graph_;
  const cases::Executors& executors_;
  const VerifyOptions& options_;
  cases::Observer& observer_;
  const core::RegularExpression filter_;
  const Stated stated_;
  CaseState state_;
  std::optional<WrittenTruth> written_;  ///< where f32 was replaced
  cases::CaseResult result_;
  std::map<ir::Value, cases::Pairing> pairing_;  ///< how a foreign candidate's values were found
  std::optional<CandidateRun> given_, tapped_;
  std::vector<std::string> unbelieved_;              ///< nodes whose account of how they add no replay tests
  std::optional<bounds::runs::SignRuns> sign_runs_;  ///< in mode propagate: what limits of totals are made of
};

/// A result that says why nothing was compared.
void skip(cases::NodeResult& result, std::string why);

/// Why a node is skipped that --filter leaves out.
inline constexpr std::string_view not_chosen = "not chosen";

}  // namespace plumb::parity::verify
