#pragma once

#include <map>
#include <optional>

#include "parity/judges/element_judge.hpp"
#include "parity/judges/question.hpp"

/// Compares outputs of a node with their limits, whatever the unit of judging is. Both verify, for the outputs of a
/// candidate, and power, for the same outputs with a fault in them, call this one entry (verdict.md V63).
namespace plumb::parity::judges {

/// Whether the outputs of a segment are judged together, by a judge of its op, rather than element by element. Not
/// where they have to be exact, as is proved of exact twins, and not where several ops share a kernel.
bool is_joint(const core::Segment& segment, const ExtraJudges* extra);

/// The truth of a segment on what it was fed and, of what is judged element by element, the limits. Throws NoModel.
bounds::Bounded evaluate(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                         const bounds::Manner& manner, const ExtraJudges* extra);

/// The truth of a segment on what it was fed, and how far each element may be off in any implementation: where outputs
/// are judged together, after all steps on states of its own. Choices have what error models say. Throws NoModel.
bounds::Bounded evaluate_elements(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                                  const bounds::Manner& manner, const ExtraJudges* extra);

/// How many numbers of output `k` have a limit that chance may exceed, before anything is evaluated (verdict.md V52):
/// all of an output that is judged together, since no judge has more units than its outputs have numbers.
std::uint64_t limits_of_chance(const core::Segment& segment, std::size_t k, const ExtraJudges* extra);

/// Judges the outputs of one node, any number of times.
class NodeJudge {
 public:
  /// `bounded` is what evaluate() gave, and is written to. `outputs` is what the candidate gave, null for an output
  /// that nobody kept. All that is referred to must outlive the judge.
  NodeJudge(const settle::Subject& subject, bounds::Bounded& bounded, std::vector<const ir::Tensor*> outputs,
            const ExtraJudges* extra = nullptr);

  /// Sets what `measured` says of output `k`, were it `got` beside the candidate's other outputs: allowed, local,
  /// certificate, settled, units. Throws NoModel.
  void compare(std::size_t k, const ir::Tensor& got, cases::Measured& measured);

  /// The truth that output `k` was compared with last: of outputs that are judged together the one under the
  /// candidate's own decisions.
  const ir::Tensor& truth(std::size_t k) const;

  /// How many elements of output `k`, as it was compared last, say something.
  compare::Telling telling(std::size_t k, const cases::NodeResult& result) const;

  /// Whether an element of output `k` is right or wrong by itself.
  bool judges_elements() const { return !judge_; }
  /// The limits of the whole output `k`, before any element is looked at.
  const compare::Allowed& whole(std::size_t k) { return of_elements(k).whole(); }

  /// Whether the judge says how far the truth of output `k` may be off, so that a definition can be asked; it is known
  /// once the output was compared.
  bool knows_uncertainty(std::size_t k) const { return judge_ == nullptr || has_uncertainty_.contains(k); }

  /// The share of an output, as it was compared last, that notices operands with half of their bits (F1 of verdict.md
  /// V41) or, of logarithms of sums, a term that is missing (F2), whichever is larger. Nothing is asked of choices, nor
  /// where it would take more than 2²² operations.
  cases::Sensitivity sensitivity(std::size_t k);

 private:
  ElementJudge& of_elements(std::size_t k);
  std::vector<ir::Tensor> outputs_with(std::size_t k, const ir::Tensor& got) const;
  Judgement judgement_of(std::vector<ir::Tensor> outputs, bool looks_closely);
  OutputJudgement judgement_of_output(std::size_t k, const ir::Tensor& got, bool looks_closely);
  cases::Sensitivity sensitivity_to(const ir::Feeds& fed, std::size_t k);
  void compare_jointly(std::size_t k, const ir::Tensor& got, cases::Measured& measured);
  std::uint64_t set_out_of_range_apart(std::size_t k, const ir::TensorView& got, OutputJudgement& output);

  const settle::Subject& subject_;
  bounds::Bounded& bounded_;
  const std::vector<const ir::Tensor*> outputs_;
  std::shared_ptr<const Judge> judge_;
  std::map<std::size_t, ElementJudge> elements_;
  std::map<std::size_t, OutputJudgement> last_;
  std::map<std::size_t, bool> has_uncertainty_;
  std::optional<Judgement> of_candidate_, closely_of_candidate_, of_native_;
  std::vector<ir::Tensor> native_;  ///< outputs of the reference in the candidate's own dtypes; empty until asked for
};

/// Every op of the IR, and how it is judged: "element", "joint" or, without an error model, a definition or a judge,
/// "".
std::string_view way_of_judging(const ir::Op& op);

}  // namespace plumb::parity::judges
