#pragma once

#include "parity/judges/matrices.hpp"
#include "parity/judges/question.hpp"

/// Outputs that are right where they give back what they were made of: factors of a matrix, solutions of a system
/// (verdict.md V68). The candidate's own are put together in f64; no truth of theirs is needed but for what is reported
/// of single elements.
namespace plumb::parity::judges {

/// A residual of the shape of an output, element by element.
struct ElementResiduals {
  Matrices residual;           ///< what they leave
  Matrices probable, certain;  ///< how much that may be, all of the first by chance, λσ
  Matrices scale;              ///< what the limit is to be small next to
};

/// Output k by residuals that are one to an element. What must hold besides is held by `requires_of`: an element of
/// which it says no is beyond any limit; empty: nothing.
OutputJudgement judge_residuals(const Question& question, std::size_t k, const ElementResiduals& by,
                                const std::function<bool(std::size_t b, std::size_t i, std::size_t j)>& holds = {});

/// A norm by matrix of a batch, and how large it may be.
struct NormTest {
  std::vector<double> norm, limit;  ///< all of a limit is chance, λσ
  std::vector<double> scale;        ///< what the limit is to be small next to; 0: of a matrix that says nothing
};

/// Output k by matrices, which are its last two axes (or its last, `rank` = 1), each held to all of these tests. `kind`
/// is residual or, where the norm is that of errors, matrix.
OutputJudgement judge_matrices(const Question& question, std::size_t k, const std::vector<NormTest>& tests,
                               cases::UnitKind kind = cases::UnitKind::residual, std::size_t rank = 2);

/// A matrix whose truth is not finite (not definite, singular, or made of what is not finite itself) has to be met by
/// its like, element by element; `may_be_either` names those of which that is a rounded decision, where a finite result
/// and one that is not are both right. Overrules what residuals say of them.
void judge_not_finite(const Question& question, std::size_t k, const std::vector<bool>& may_be_either,
                      OutputJudgement& output);

/// What `terms` terms in a row may leave, times the sum of their sizes: by chance λu√(terms/3), and for certain
/// u·terms.
struct ChainFactors {
  double probable = 0, certain = 0;
};
ChainFactors chain_factors(const Question& question, std::size_t k, double terms);

/// λu√t for t orthogonal transformations that touch an element; of an unknown algorithm t is n².
double rotation_factor(const Question& question, std::size_t k, std::size_t n, std::optional<double> transformations);

}  // namespace plumb::parity::judges
