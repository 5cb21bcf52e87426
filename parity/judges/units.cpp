#include "parity/judges/units.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace plumb::parity::judges {
namespace {

using compare::Comparison;

/// The parts of an element, and how far they are apart at most.
struct Pair {
  double expected = 0, got = 0, error = 0;
};

/// Elements of the truth and of what came, as numbers.
class Pairs {
 public:
  Pairs(const ir::TensorView& truth, const ir::TensorView& got)
      : is_complex_(ir::is_complex(truth.dtype())),
        truth_(ir::convert(truth, is_complex_ ? ir::DType::c128 : ir::DType::f64)),
        got_(ir::convert(got, is_complex_ ? ir::DType::c128 : ir::DType::f64)) {}

  Pair at(std::size_t i) const {
    if (!is_complex_) return of(truth_.as<double>()[i], got_.as<double>()[i]);
    const std::complex<double> y = truth_.as<std::complex<double>>()[i], c = got_.as<std::complex<double>>()[i];
    const Pair real = of(y.real(), c.real()), imaginary = of(y.imag(), c.imag());
    return imaginary.error > real.error ? imaginary : real;
  }

 private:
  static Pair of(double y, double c) {
    const double error = is_alike(y, c) ? 0 : std::abs(c - y);
    return {y, c, std::isnan(error) ? std::numeric_limits<double>::infinity() : error};
  }

  const bool is_complex_;
  const ir::Tensor truth_, got_;
};

/// All that there is to say of the errors, with nothing allowed or forbidden; elements apart are in no number.
Comparison measured(const OutputJudgement& output, const ir::TensorView& got) {
  std::vector<bool> apart(static_cast<std::size_t>(got.elements()), false);
  for (std::size_t u = 0; u < output.units(); ++u)
    if (is_apart(output.standing[u]))
      for (std::size_t i = 0; i < static_cast<std::size_t>(output.unit.length); ++i) apart[output.element(u, i)] = true;
  compare::Allowed anything{.rule = compare::Allowed::Rule::within, .absolute = 0x1p1000};
  if (std::ranges::count(apart, true) > 0) {
    const ir::Tensor zeros({ir::DType::f64, got.shape()}), none({ir::DType::f64, {0}});
    anything.limits = std::make_shared<const compare::Limits>(compare::Limits{zeros, none, std::move(apart)});
  }
  return compare::compare(output.truth, got, anything);
}

compare::Worst worst_of(const OutputJudgement& output, std::size_t u, const Pairs& pairs) {
  compare::Worst worst{.index = output.element(u, 0), .ratio = output.ratio[u]};
  double largest = -1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(output.unit.length); ++i) {
    const Pair pair = pairs.at(output.element(u, i));
    if (!(pair.error > largest)) continue;
    largest = pair.error;
    worst.index = output.element(u, i);
    worst.expected = pair.expected;
    worst.got = pair.got;
  }
  return worst;
}

compare::RatioMap map_of(const OutputJudgement& output, const compare::MapExtents& extents) {
  compare::MapBuilder map(extents);
  for (std::size_t u = 0; u < output.units(); ++u) {
    if (is_apart(output.standing[u])) continue;
    const double ratio = std::isnan(output.ratio[u]) ? std::numeric_limits<double>::infinity() : output.ratio[u];
    for (std::size_t i = 0; i < static_cast<std::size_t>(output.unit.length); ++i)
      map.raise(output.element(u, i), ratio);
  }
  return map.finish();
}

double quantile(std::vector<double> sorted, double q) {
  if (sorted.empty()) return compare::not_computed;
  std::ranges::sort(sorted);
  const auto place = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(place, 1) - 1];
}

std::size_t bin_of(double ratio) {
  const double bin = ratio > 0 ? std::floor(2 * (std::log2(ratio) + 16)) + 1 : 0;
  return static_cast<std::size_t>(std::clamp(bin, 0.0, Comparison::ratio_bins - 1.0));
}

}  // namespace

Comparison comparison_of(const OutputJudgement& output, const ir::TensorView& got, double lambda,
                         const std::optional<compare::MapExtents>& map) {
  Comparison found = measured(output, got);
  const auto length = static_cast<std::uint64_t>(output.unit.length);
  found.n_bad = 0;
  found.n_without_limit = 0;
  found.worst.clear();
  found.hist_ratio = {};
  found.ratio_finite = found.ratio_certain = found.sigma_max = compare::not_computed;
  std::vector<double> ratios;
  std::vector<std::size_t> order;
  for (std::size_t u = 0; u < output.units(); ++u) {
    if (is_apart(output.standing[u])) continue;
    const double ratio = output.ratio[u];
    if (std::isnan(ratio)) found.n_without_limit += length;
    if (!(ratio <= 1)) found.n_bad += length;
    if (std::isnan(ratio)) continue;
    if (!output.sigma.empty()) {
      const bool is_refused_anyway = ratio > 1 && !(output.sigma[u] > lambda);
      const double sigma = is_refused_anyway ? infinite : output.sigma[u];
      if (!std::isnan(sigma) && !(sigma <= found.sigma_max)) found.sigma_max = sigma;
    }
    if (std::isfinite(ratio) && !(ratio <= found.ratio_finite)) found.ratio_finite = ratio;
    if (!output.certain.empty() && output.certain[u] >= 0 && !(output.certain[u] <= found.ratio_certain))
      found.ratio_certain = output.certain[u];
    ratios.push_back(ratio);
    order.push_back(u);
    ++found.hist_ratio[bin_of(ratio)];
  }
  found.ratio_p99 = quantile(ratios, 0.99);
  const std::size_t kept = std::min(order.size(), Comparison::worst_kept);
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(kept),
                            [&](std::size_t a, std::size_t b) {
                              return output.ratio[a] != output.ratio[b] ? output.ratio[a] > output.ratio[b] : a < b;
                            });
  if (map) found.map = map_of(output, *map);
  const Pairs pairs(output.truth, got);
  for (std::size_t n = 0; n < kept; ++n) found.worst.push_back(worst_of(output, order[n], pairs));
  return found;
}

compare::Telling telling_of(const OutputJudgement& output, const Comparison& compared) {
  compare::Telling telling{.elements = compared.n, .not_finite = compared.n_nan_expected + compared.n_inf_expected};
  const auto length = static_cast<std::uint64_t>(output.unit.length);
  for (const Standing standing : output.standing) {
    if (standing == Standing::informative) {
      telling.informative += length;
      telling.has_precise = true;
    }
    if (standing == Standing::loose) telling.loose += length;
    if (standing == Standing::wild) telling.not_finite += length;
  }
  return telling;
}

cases::Units units_of(const OutputJudgement& output, const Comparison& compared) {
  cases::Units units{.kind = output.kind, .decisions = output.decisions};
  units.residual = output.residual;
  units.orthogonality = output.orthogonality;
  if (output.ratio.empty()) {
    units.count = compared.n - compared.n_apart;
    units.beyond = compared.n_bad;
    return units;
  }
  for (std::size_t u = 0; u < output.units(); ++u) {
    units.flagged += output.standing[u] == Standing::flagged;
    units.untraced += output.standing[u] == Standing::untraced;
    if (is_apart(output.standing[u])) continue;
    ++units.count;
    units.beyond += !(output.ratio[u] <= 1);
  }
  return units;
}

void silence_zeros(OutputJudgement& output) {
  const ir::Tensor truth = ir::convert(output.truth, ir::DType::f64);
  if (std::ranges::all_of(truth.as<double>(), [](double y) { return y == 0; }))
    std::ranges::replace(output.standing, Standing::informative, Standing::silent);
}

}  // namespace plumb::parity::judges
