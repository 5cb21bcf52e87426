#pragma once

#include <algorithm>
#include <exception>
#include <map>

#include "parity/cases/kept_nodes.hpp"
#include "parity/checks/expected/end_to_end.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/settle/subject.hpp"
#include "parity/verify/case_state.hpp"
#include "parity/verify/node/decide.hpp"
#include "parity/verify/node/examination.hpp"
#include "parity/verify/node/node_view.hpp"
#include "parity/verify/plain_run.hpp"
#include "parity/verify/stated.hpp"
#include "parity/verify/verify.hpp"
#include "parity/verify/written/written_truth.hpp"

namespace plumb::parity::verify {

/// Runs one case and judges it, node by node: case_run.cpp has the case, judge_node.cpp the way of one node, of which
/// examine() finds out what can be said of it alone, and decide() makes the verdict.
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
  ir::Tensor held(ir::Tensor tensor) const;
  void run_candidate();
  bool try_candidate();
  std::uint64_t count_limits() const;
  void judge_all();
  void require_judged_storage() const;
  void note_storage();
  void skip_from(std::size_t n, const std::string& why);
  void stop_at(std::size_t n, const ir::Error& error);
  void validate(cases::NodeResult& result) const;
  bool is_stopped_by(std::size_t n) const;

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
  /// A node on its way to its verdict.
  struct Pending {
    std::optional<Examination> examined = {};  ///< none where there is nothing to compare
    std::map<std::size_t, Total> totals = {};  ///< by output, of those that have one; known when it is carried on
    std::exception_ptr problem = nullptr;      ///< the exception that was thrown on the way
    const cases::KeptNode* kept = nullptr;     ///< an earlier start examined it, and it is what it was
  };
  std::optional<Examination> examine_node(std::size_t n) const;
  void begin_keeping();
  std::uint64_t key_of(std::size_t n, std::uint64_t before) const;
  std::uint64_t hash_of_truths(std::size_t n) const;
  const cases::KeptNode* find_kept(std::size_t n) const;
  bool is_told_of(std::size_t n) const;
  bool is_to_be_kept(std::size_t n, const Examination& found) const;
  std::vector<cases::TruthWord> truer_words(std::size_t n, const Examination& found);
  void keep(std::size_t n, const Examination& found, std::size_t first_note, std::size_t first_origin);
  bool carry_kept(std::size_t n, const cases::KeptNode& kept);
  void take_kept(std::size_t n, const Pending& pending);
  void note_kept();
  bool try_carry(std::size_t n, Pending& pending);
  void carry(std::size_t n, Pending& pending);
  void plan_total(std::size_t n, std::size_t k, Pending& pending);
  static void measure_totals(Pending& pending);
  void judge_node(std::size_t n, Pending pending);
  bool judge_next(std::size_t n, Pending pending);
  void skip_without_truth(std::size_t n, std::size_t k, cases::NodeResult& result);
  bool is_chosen(std::size_t n) const;
  CandidateRun run_node(std::size_t n);
  void set_claim_aside(std::size_t n);
  void believe(std::size_t n, const Examination& found);
  void carry_truth(std::size_t n, const Examination* found, ir::Feeds fed);
  cases::NodeOutput describe(std::size_t n, std::size_t k) const;
  void judge_output(std::size_t n, std::size_t k, cases::NodeResult& result, Pending& pending);
  void explain(const Examination& found, const ir::Tensor& device, cases::NodeResult& result) const;
  std::optional<ir::Tensor> truth_before(std::size_t n, std::size_t k) const;
  void carry_roundings(std::size_t n, const Pending& pending);
  void follow_decisions(std::size_t n, const Pending& pending);
  void compare_total(const Total& total, cases::NodeResult& result, ValueState& state) const;
  void judge_total(cases::NodeResult& result, const ir::Tensor& device) const;
  const ir::Tensor* given_output(ir::Value value) const;
  double amplification_of(std::size_t n, const compare::Comparison& inherited) const;
  Facts facts_of(const cases::NodeResult& result, const policy::Judgement& gate, const std::string& refuted) const;
  bool is_given(std::size_t n) const;
  bool moves_zeros(std::size_t n) const;
  void follow_exactly(std::size_t n, ir::Value value, cases::NodeResult& result);
  void hand_on(std::size_t n);

  void decide_case(std::span<const core::Verdict> nodes);
  void judge_expected();
  void assign_blame();

  bool is_foreign() const { return rules_.is_foreign(); }
  foreign::Storage storage() const { return is_foreign() ? executors_.foreign->storage() : foreign::Storage::graph; }
  bool isolates() const { return rules_.isolates(); }
  bool must_be_exact(std::size_t n) const { return rules_.must_be_exact(n); }

  const cases::Case& subject_;
  const ir::Graph& graph_;
  const cases::Executors& executors_;
  const VerifyOptions& options_;
  Rules rules_;
  cases::Observer& observer_;
  const Stated stated_;
  CaseState state_;
  std::optional<WrittenTruth> written_;  ///< where f32 was replaced
  cases::CaseResult result_;
  std::map<ir::Value, cases::Pairing> pairing_;  ///< how a foreign candidate's values were found
  std::optional<CandidateRun> given_, tapped_;
  std::map<ir::DType, std::size_t> stored_;          ///< values that were judged in another dtype than the graph's
  std::vector<std::string> unbelieved_;              ///< nodes whose account of how they add no replay tests
  bool keeps_ = false;                               ///< nodes, as they are judged
  std::map<std::size_t, cases::KeptNode> kept_;      ///< by an earlier start
  std::map<ir::Value, std::uint64_t> input_hashes_;  ///< hashes of what the graph is fed, where nodes are kept
  std::vector<std::uint64_t> keys_;                  ///< by node, where nodes are kept
  std::size_t n_taken_ = 0;                          ///< nodes that an earlier start judged
  std::optional<bounds::runs::SignRuns> sign_runs_;  ///< in mode propagate: what limits of totals are made of
};

/// How many choices of a case roundings decided, in words, by op: "3 of 2048 choices of an expert ...".
std::vector<std::string> notes_of_free_choices(const std::vector<cases::NodeResult>& results);

/// A result that says why nothing was compared.
void skip(cases::NodeResult& result, std::string why);

/// Why a node is skipped that the filter leaves out.
inline constexpr std::string_view not_chosen = "not chosen";

}  // namespace plumb::parity::verify
