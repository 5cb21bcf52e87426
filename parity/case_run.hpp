#pragma once

#include <map>
#include <regex>
#include <set>

#include "ir/passes/widen.hpp"
#include "parity/bounded.hpp"
#include "parity/candidate_run.hpp"
#include "parity/policy_gate.hpp"
#include "parity/stated.hpp"
#include "parity/verify.hpp"

namespace plumb::parity {

/// The state of one case between its nodes.
class CaseRun {
 public:
  CaseRun(const Case& subject, const Executors& executors, const VerifyOptions& options, Observer& observer);
  CaseResult finish();

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
  void compare_output(std::size_t n, std::size_t k, NodeResult& result, Bounded& local);
  void judge(NodeResult& result, const Judged& judged, const policy::Judgement& gate, const std::string& refuted);
  void follow_exactly(std::size_t n, ir::Value value, NodeResult& result);
  void carry_truth(std::size_t n, const Evaluated* local, ir::Feeds fed);
  void release(std::size_t n);
  void stop_at(std::size_t n, const ir::Error& error);
  NodeResult blank(std::size_t n, std::size_t k) const;
  void skip(NodeResult& result, std::string why);
  double amplification_of(std::size_t n, const Comparison& inherited) const;

  bool isolates() const { return options_.mode == Mode::isolate; }
  bool keeps_all() const { return !isolates() && options_.blame != 0u; }  ///< of got_: blame may be looked for
  bool captured(ir::Value v) const {
    return graph_.is_source(v) || isolates() || got_.contains(v) || released_.contains(v);
  }
  const ir::Tensor& got(ir::Value v) const {
    return graph_.is_source(v) ? ir::fed(graph_, subject_.feeds, v) : got_.at(v);
  }
  ir::Tensor truth(ir::Value v) const {
    return graph_.is_source(v) ? ir::widen(ir::fed(graph_, subject_.feeds, v)) : truths_.at(v);
  }
  bool must_be_exact(std::size_t n) const {
    return !subject_.proofs.empty() && subject_.proofs[n].exact == Exactness::proved;
  }
  bool is_clean(ir::Value v) const { return graph_.is_source(v) || clean_.contains(v); }

  const Case& subject_;
  const ir::Graph& graph_;
  const Executors& executors_;
  const VerifyOptions& options_;
  Observer& observer_;
  const std::regex filter_;
  const Stated stated_;

  ir::Tensors got_;  ///< what the candidate's nodes are given and compute, until the last reader is judged
  std::set<ir::Value> released_, unstable_;  ///< of those: no longer held; different in another run
  std::map<ir::Value, std::uint64_t> hashes_;
  std::vector<ir::NodeReport> placements_;
  std::vector<Segment> segments_;  ///< by node
  std::map<ir::Value, std::size_t> last_use_, last_truth_;
  ir::Tensors truths_;                  ///< of the graph from its inputs on
  std::set<ir::Value> clean_;           ///< values whose truth is what the candidate's nodes are given
  std::map<ir::Value, double> errors_;  ///< of what they are given, relative to its truth
  std::set<ir::Value> off_;             ///< of an exact twin: values that are not what they were proved to be
  CaseResult result_;
};

}  // namespace plumb::parity
