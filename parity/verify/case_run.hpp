#pragma once

#include <map>
#include <regex>
#include <set>

#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/verify/candidate_run.hpp"
#include "parity/verify/stated.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::verify {

/// The state of one case between its nodes.
class CaseRun {
 public:
  CaseRun(const cases::Case& subject, const cases::Executors& executors, const VerifyOptions& options,
          cases::Observer& observer);
  cases::CaseResult finish();

 private:
  void run_candidate();
  bool try_candidate();
  void judge_all();
  void plan_segments();
  bool is_wanted(std::size_t n) const;
  void judge_node(std::size_t n);
  void take(CandidateRun& run);
  CandidateRun run_node(std::size_t n);
  void hand_on(std::size_t n);
  void compare_output(std::size_t n, std::size_t k, cases::NodeResult& result, bounds::Bounded& local);
  void judge(cases::NodeResult& result, const core::Judged& judged, const policy::Judgement& gate,
             const std::string& refuted);
  void follow_exactly(std::size_t n, ir::Value value, cases::NodeResult& result);
  void carry_truth(std::size_t n, const core::Evaluated* local, ir::Feeds fed);
  void release(std::size_t n);
  void stop_at(std::size_t n, const ir::Error& error);
  cases::NodeResult blank(std::size_t n, std::size_t k) const;
  void skip(cases::NodeResult& result, std::string why);
  double amplification_of(std::size_t n, const compare::Comparison& inherited) const;

  bool isolates() const { return options_.mode == core::Mode::isolate; }
  bool keeps_all() const { return !isolates() && options_.blame != 0u; }  ///< of got_: blame may be looked for
  bool captured(ir::Value v) const {
    return graph_.is_source(v) || isolates() || got_.contains(v) || released_.contains(v);
  }
  const ir::Tensor& got(ir::Value v) const {
    return graph_.is_source(v) ? ir::fed(graph_, subject_.feeds, v) : got_.at(v);
  }
  ir::Tensor truth(ir::Value v) const {
    return graph_.is_source(v) ? ir::passes::widen(ir::fed(graph_, subject_.feeds, v)) : truths_.at(v);
  }
  bool must_be_exact(std::size_t n) const {
    return !subject_.proofs.empty() && subject_.proofs[n].exact == core::Exactness::proved;
  }
  bool is_clean(ir::Value v) const { return graph_.is_source(v) || clean_.contains(v); }

  const cases::Case& subject_;
  const ir::Graph& graph_;
  const cases::Executors& executors_;
  const VerifyOptions& options_;
  cases::Observer& observer_;
  const std::regex filter_;
  const Stated stated_;

  ir::Tensors got_;  ///< what the candidate's nodes are given and compute, until the last reader is judged
  std::set<ir::Value> released_, unstable_;  ///< of those: no longer held; different in another run
  std::map<ir::Value, std::uint64_t> hashes_;
  std::vector<ir::NodeReport> placements_;
  std::vector<core::Segment> segments_;  ///< by node
  std::map<ir::Value, std::size_t> last_use_, last_truth_;
  ir::Tensors truths_;                  ///< of the graph from its inputs on
  std::set<ir::Value> clean_;           ///< values whose truth is what the candidate's nodes are given
  std::map<ir::Value, double> errors_;  ///< of what they are given, relative to its truth
  std::set<ir::Value> off_;             ///< of an exact twin: values that are not what they were proved to be
  cases::CaseResult result_;
};

}  // namespace plumb::parity::verify
