#include "parity/judges/residuals.hpp"

#include <cmath>

#include "parity/compare/tolerance.hpp"

namespace plumb::parity::judges {
namespace {

/// |residual| over what it may be; NaN where that is not finite, infinite where the residual is not.
double over(double residual, double limit) {
  if (!std::isfinite(limit)) return compare::not_computed;
  if (residual == 0) return 0;
  return std::isfinite(residual) && limit > 0 ? std::abs(residual) / limit : infinite;
}

Standing standing_of(double limit, double scale) {
  if (!(scale > 0)) return Standing::silent;
  return limit <= compare::loosest_of_scale * scale ? Standing::informative : Standing::loose;
}

}  // namespace

OutputJudgement judge_residuals(const Question& question, std::size_t k, const ElementResiduals& by,
                                const std::function<bool(std::size_t b, std::size_t i, std::size_t j)>& holds) {
  OutputJudgement output{.kind = cases::UnitKind::residual};
  output.truth = question.truth.outputs.at(k);
  const Matrices& r = by.residual;
  for (std::size_t b = 0; b < r.count(); ++b)
    for (std::size_t i = 0; i < r.rows(); ++i)
      for (std::size_t j = 0; j < r.columns(); ++j) {
        const double least = question.floor(k);
        const double probable = by.probable.at(b, i, j), certain = by.certain.at(b, i, j);
        const bool is_held = !holds || holds(b, i, j);
        output.ratio.push_back(is_held ? over(r.at(b, i, j), probable + least) : infinite);
        output.sigma.push_back(in_deviations(std::abs(r.at(b, i, j)), probable + least, probable, question.lambda));
        output.certain.push_back(over(r.at(b, i, j), certain + least));
        output.standing.push_back(standing_of(probable, by.scale.at(b, i, j)));
        const double relative = std::abs(r.at(b, i, j)) / by.scale.at(b, i, j);
        if (std::isfinite(relative) && !(relative <= output.residual)) output.residual = relative;
      }
  return output;
}

OutputJudgement judge_matrices(const Question& question, std::size_t k, const std::vector<NormTest>& tests,
                               cases::UnitKind kind, std::size_t rank) {
  OutputJudgement output{.kind = kind};
  output.truth = question.truth.outputs.at(k);
  const ir::Shape& shape = question.out_type(k).shape;
  output.unit = compare::Line::along(shape, -static_cast<std::int64_t>(rank));
  const std::size_t count = tests.empty() ? 0 : tests.front().norm.size();
  const double least = question.floor(k) * std::sqrt(static_cast<double>(output.unit.length));
  for (std::size_t b = 0; b < count; ++b) {
    double ratio = 0, sigma = compare::not_computed;
    Standing standing = Standing::informative;
    for (const NormTest& test : tests) {
      const double one = over(test.norm[b], test.limit[b] + least);
      if (std::isnan(one) || one > ratio) ratio = one;
      const double off = in_deviations(test.norm[b], test.limit[b] + least, test.limit[b], question.lambda);
      if (!std::isnan(off) && !(off <= sigma)) sigma = off;
      const Standing other = standing_of(test.limit[b], test.scale[b]);
      if (other != Standing::informative) standing = other;
    }
    output.ratio.push_back(ratio), output.standing.push_back(standing), output.sigma.push_back(sigma);
  }
  return output;
}

void judge_not_finite(const Question& question, std::size_t k, const std::vector<bool>& may_be_either,
                      OutputJudgement& output) {
  const Matrices truth(output.truth), got(question.got.at(k));
  const std::size_t size = truth.rows() * truth.columns(), per_unit = static_cast<std::size_t>(output.unit.length);
  for (std::size_t b = 0; b < truth.count(); ++b) {
    bool truth_is_finite = true, got_is_finite = true;
    for (std::size_t i = b * size; i < (b + 1) * size; ++i)
      truth_is_finite &= std::isfinite(truth.values()[i]), got_is_finite &= std::isfinite(got.values()[i]);
    const bool is_free = !may_be_either.empty() && may_be_either[b];
    if (truth_is_finite && got_is_finite) continue;
    if (is_free && got_is_finite) continue;  // held to its residual
    for (std::size_t i = b * size; i < (b + 1) * size; ++i) {
      const bool holds = is_free || is_alike(truth.values()[i], got.values()[i]);
      const std::size_t u = i / per_unit;
      if (i % per_unit == 0) output.ratio[u] = 0;
      if (!holds) output.ratio[u] = infinite;
      if (!output.certain.empty()) output.certain[u] = compare::not_computed;
      if (!output.sigma.empty()) output.sigma[u] = compare::not_computed;
      output.standing[u] = Standing::not_finite;
    }
  }
}

ChainFactors chain_factors(const Question& question, std::size_t k, double terms) {
  const double u = question.unit(k);
  return {question.lambda * u * std::sqrt(terms / 3), u * terms};
}

double rotation_factor(const Question& question, std::size_t k, std::size_t n, std::optional<double> transformations) {
  const double t = transformations.value_or(static_cast<double>(n) * static_cast<double>(n));
  return question.lambda * question.unit(k) * std::sqrt(std::max(t, 1.0));
}

}  // namespace plumb::parity::judges
