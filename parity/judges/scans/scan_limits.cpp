// Limits of scans as tensors, by output; and the sums that scans read their states with.
// Optimised: it loops over elements or terms.
#include "parity/judges/scans/scan_limits.hpp"

#include <algorithm>
#include <cmath>

#include "parity/compare/tolerance.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/parallel.hpp"
#include "parity/sums/tree.hpp"

namespace plumb::parity::judges {

ScanOutput::ScanOutput(std::int64_t elements)
    : deviation(static_cast<std::size_t>(elements)),
      fixed(static_cast<std::size_t>(elements)),
      certain(static_cast<std::size_t>(elements)),
      apart(static_cast<std::size_t>(elements)) {}

void ScanOutput::set(std::int64_t i, double sigma, double besides, double most) {
  const auto at = static_cast<std::size_t>(i);
  deviation[at] = sigma;
  fixed[at] = besides;
  certain[at] = most;
}

double ScanManner::mean_deviation_of(std::span<const double> products) const {
  double sum = 0, squares = 0;
  for (const double p : products) {
    sum += p;
    squares += p * p;
  }
  const sums::Tree chain({}, static_cast<std::int64_t>(products.size()));
  const double terms = std::max<double>(1, static_cast<double>(products.size()));
  const double additions = chain.alpha() * sum * sum + chain.beta() * std::max(0.0, squares - sum * sum / terms);
  return unit * std::sqrt(additions + squares);
}

double ScanManner::deviation_of(std::span<const double> products, std::int64_t i) const {
  const double mean = mean_deviation_of(products);
  if (!is_open(0, i)) return mean;
  const sums::Additions additions{.unit = unit, .subnormal = floor, .terms_are_numbers = false};
  return std::max(mean, std::sqrt(sums::largest_roundings(products, additions).variance));
}

double ScanManner::most_of(std::span<const double> products) const {
  double sizes = 0;
  for (const double p : products) sizes += std::abs(p);
  return (static_cast<double>(products.size()) + 1) * unit * sizes;
}

void for_each_part(std::int64_t count, const std::function<void(std::int64_t)>& fn) {
  const auto parts = static_cast<std::size_t>(count);
  core::for_each_piece(parts, core::workers_for(parts << 14),
                       [&](std::size_t i, std::size_t) { fn(static_cast<std::int64_t>(i)); });
}

namespace {

/// Output k of a question, by these limits. Where the dtype is narrower than f64, which is computed in, the result is
/// rounded to it besides; that of 16 bits is held_to's business.
OutputJudgement judged(const Question& question, std::size_t k, ir::DType computed, const ScanOutput& made,
                       double unit) {
  const ir::DType dtype = question.out_type(k).dtype;
  const bool is_stored = computed == ir::DType::f64 && dtype == ir::DType::f32;
  const double u = is_stored ? ir::unit_roundoff(dtype) : 0;
  OutputJudgement output;
  output.truth = question.truth.outputs[k];
  const auto y = std::as_const(output.truth).as<double>();
  const ir::TensorType type{ir::DType::f64, output.truth.shape()};
  compare::Limits limits{ir::Tensor(type), ir::Tensor(type), {}, ir::Tensor(type)};
  compare::Limits own{ir::Tensor(type), ir::Tensor({ir::DType::f64, {0}})};
  const auto probable = limits.probable.as<double>(), certain = limits.certain.as<double>(),
             chance = limits.chance->as<double>(), doubt = own.probable.as<double>();
  const double of_truth = ir::unit_roundoff(ir::DType::f64) / unit;
  std::vector<bool> apart(made.apart.begin(), made.apart.end());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (made.apart[i] != 0) continue;
    const double stored = u * std::abs(y[i]), most = made.certain[i] + stored;
    chance[i] = question.lambda * made.deviation[i];
    probable[i] = std::min(chance[i] + made.fixed[i] + stored, most);
    certain[i] = most;
    if (!std::isfinite(probable[i])) {
      chance[i] = 0;
      probable[i] = most;
    }  // squares of f64 leave its range
    chance[i] = std::min(chance[i], probable[i]);
    doubt[i] = made.certain[i] * of_truth;
    if (std::isfinite(most)) continue;
    apart[i] = true;  // and so does what the truth is made of
    probable[i] = certain[i] = doubt[i] = compare::anything;
  }
  if (std::ranges::count(apart, true) > 0) limits.apart = own.apart = apart;
  output.allowed = held_to(question, k, std::move(limits));
  compare::Allowed uncertainty{.rule = compare::Allowed::Rule::within};
  uncertainty.limits = std::make_shared<const compare::Limits>(std::move(own));
  output.uncertainty = std::move(uncertainty);
  return output;
}

/// Which elements of output k are off by more than half of their limit.
std::vector<bool> open_elements(const Question& question, std::size_t k, const ScanOutput& made) {
  const ir::Tensor got = ir::convert(question.got[k], ir::DType::f64);
  const auto c = got.as<double>();
  const auto y = question.truth.outputs[k].as<double>();
  std::vector<bool> open(y.size());
  for (std::size_t i = 0; i < y.size(); ++i)
    open[i] = !(2 * std::abs(c[i] - y[i]) <= question.lambda * made.deviation[i] + made.fixed[i]);
  return open;
}

ScanOutputs limits_of_scan(const Question& question, const ScanManner& manner, std::int64_t every,
                           const ScanWalk& walk) {
  ScanOutputs made{.outputs = {}, .every = every, .state_elements = question.out_type(1).shape.elements()};
  for (std::size_t k = 0; k < question.segment.outputs.size(); ++k)
    made.outputs.emplace_back(question.out_type(k).shape.elements());
  walk(question, manner, made);
  return made;
}

}  // namespace

ir::TensorTypes types_of(const Question& question) {
  ir::TensorTypes types;
  for (std::size_t i = 0; i < question.in.size(); ++i) types.push_back(question.in_type(i));
  return types;
}

Judge judge_of_scan(std::function<ScanKind(ir::Types)> kind_of, ScanWalk walk) {
  const auto kept = std::make_shared<std::optional<ScanOutputs>>();  // it depends on the operands alone
  return Judge([kind_of = std::move(kind_of), walk = std::move(walk), kept](const Question& question) {
    const auto [computed, every] = kind_of(types_of(question));
    const core::FloatFormat format = core::float_format(computed);
    ScanManner manner{.unit = ir::unit_roundoff(computed) * (computed == ir::DType::f64 ? 2 : 1),
                      .floor = question.manner.flushes_subnormals ? format.smallest_normal() : format.ulp(0),
                      .largest = std::ldexp(1.0, format.max_exponent),
                      .format = format};
    if (!*kept) *kept = limits_of_scan(question, manner, every, walk);
    std::optional<ScanOutputs> closely;
    if (question.looks_closely) {
      for (std::size_t k = 0; k < (*kept)->outputs.size(); ++k)
        manner.open.push_back(open_elements(question, k, (*kept)->outputs[k]));
      closely = limits_of_scan(question, manner, every, walk);
    }
    const ScanOutputs& made = closely ? *closely : **kept;
    Judgement judgement;
    for (std::size_t k = 0; k < made.outputs.size(); ++k)
      judgement.outputs.push_back(judged(question, k, computed, made.outputs[k], manner.unit));
    return judgement;
  });
}

}  // namespace plumb::parity::judges
