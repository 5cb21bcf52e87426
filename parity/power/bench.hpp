#pragma once

#include "parity/checks/samples/statistics.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/power/effect.hpp"
#include "parity/power/power.hpp"

namespace plumb::parity::power {

/// One output, as verify judged it, and whatever else could have come: every faulty result takes the path by which
/// verify came to its verdict.
class Bench {
 public:
  /// All that is referred to must outlive it. `outputs` is what the candidate gave, null for an output that nobody
  /// kept.
  Bench(const Options& options, const cases::Executors& executors, const cases::Case& subject,
        const cases::NodeResult& result, const faults::Site& site, const ir::Tensor& got,
        std::vector<const ir::Tensor*> outputs);

  Trial attempt(const faults::Fault& fault, const faults::Numbers& faulty, faults::Place place);

 private:
  struct Detection {
    CaughtBy by = CaughtBy::nothing;
    Size size = {};

    bool is_caught() const { return by != CaughtBy::nothing; }
  };

  Detection detect(const faults::Numbers& faulty, double share);
  CaughtBy refusal_of(const ir::Tensor& tensor);
  bool is_refused_alone(const ir::Tensor& tensor, std::uint64_t element);
  bool is_refuted(const ir::Tensor& tensor) const;
  std::optional<Size> smallest(const faults::Numbers& faulty, Outcome outcome);
  Reason reason_of(const ir::Tensor& tensor) const;
  void add_native();
  compare::Comparison compared_at_first(const ir::Tensor& tensor);
  double effect_of(const ir::Tensor& tensor);
  const ir::Tensor& truth() const { return judge_.truth(site_.output); }

  const Options& options_;
  const ir::Graph& graph_;
  const cases::Case& case_;
  cases::NodeResult result_;  ///< the result that a gate looks at
  const faults::Site& site_;
  const ir::Tensor& got_;
  const ir::Tensor perfect_;  ///< the truth, rounded once
  const std::vector<ir::Tensor> fed_;
  const std::vector<ir::TensorView> inputs_;
  const bounds::Manner manner_;
  const settle::Subject subject_;
  bounds::Bounded bounded_;
  judges::NodeJudge judge_;
  const std::optional<checks::samples::RoundingSample> rounding_;  ///< the sample of its sums, where it has such
  std::optional<Effect> effect_;                                   ///< where elements are judged by themselves
  double honest_units_ = 0;  ///< else the largest ratio of what the candidate gave
};

}  // namespace plumb::parity::power
