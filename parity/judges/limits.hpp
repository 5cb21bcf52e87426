#pragma once

#include "parity/judges/definitions/definition.hpp"
#include "parity/judges/question.hpp"
#include "parity/sums/element_limit.hpp"

/// Limits of elements that judges make themselves, and those of values that a definition computes.
namespace plumb::parity::judges {

/// Real numbers by their truth and how far each may be off: what chance exceeds as rarely as λ says (of λ = 1, a
/// standard deviation), and what nothing but a defect exceeds. All f64, of one shape.
struct Limited {
  ir::Tensor truth, probable, certain;
  std::optional<ir::Tensor> chance = {};  ///< λσ of `probable`, where it is known

  explicit Limited(ir::Shape shape)
      : truth({ir::DType::f64, shape}), probable({ir::DType::f64, shape}), certain({ir::DType::f64, shape}) {}
};

/// The check of output k against these limits, by element, plus the rounding to a narrower output dtype. A `certain`
/// tensor without elements sets no certain limit.
compare::Allowed held_to(const Question& question, std::size_t k, compare::Limits limits);

/// Output k, element by element, by its truth under the candidate's decisions.
OutputJudgement elements_within(const Question& question, std::size_t k, Limited limited);

/// How far a sum inside of an op may be off, of whose order of additions nobody says anything: the largest of several
/// (verdict.md V17). Where `looks_closely`, by what terms in few values lose on being added as well (V23).
sums::ElementLimit limit_of_sum(const Question& question, const element::terms::ElementSum& sum,
                                const sums::Arithmetic& arithmetic);

/// The results of a definition on the operands of the question, limited by the error models of its ops: the error of
/// each op is carried through the later ops to first order (docs/bounds.md). `own` feeds the inputs of the definition
/// that are not operands: the candidate's own outputs, from which it continued (verdict.md V69).
std::vector<Limited> limits_of(const Question& question, const judges::definitions::Definition& definition,
                               const ir::Feeds& own, double lambda);

/// All outputs by that: an op whose outputs are, in order, the results of a short definition without a loop.
Judgement judge_composed(const Question& question, const judges::definitions::Definition& definition,
                         const ir::Feeds& own = {});

// ---- ops without a limit in closed form are judged over their definition (verdict.md V65)

/// Outputs, in the order of the definition's results, each element within λ√(v + v_line) and its own rounding: v is the
/// mean square of what 8 runs make of it that have the roundings of every node of the definition with random signs,
/// v_line its mean over the line. There is no certain limit. `own` as in limits_of().
Judgement propagated(const Question& question, const judges::definitions::Definition& definition,
                     const ir::Feeds& own = {});

/// By the definition in parity/judges/definitions/ops.
Judgement judge_by_definition(const Question& question);

/// By the bounds that the author of a registered op states. Throws Error, naming the op, where one is negative or NaN.
Judgement judge_by_bounds(const Question& question);

/// Feeds of a definition, the operands and `own`: feeds_of() converts them to the dtypes of its inputs,
/// widened_feeds_of() to those of its truth.
ir::Feeds feeds_of(const Question& question, const judges::definitions::Definition& definition, const ir::Feeds& own);
ir::Feeds widened_feeds_of(const Question& question, const judges::definitions::Definition& definition,
                           const ir::Feeds& own);

}  // namespace plumb::parity::judges
