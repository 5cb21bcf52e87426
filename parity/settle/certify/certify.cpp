// Computes elements of the truth again in double-double where f64 cannot decide whether they are within the limit.
#include "parity/settle/certify/certify.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>

#include "ir/cost.hpp"
#include "ir/passes/widen.hpp"
#include "parity/compare/limit_scan.hpp"
#include "parity/core/parallel.hpp"
#include "parity/settle/feeds.hpp"
#include "parity/settle/settle_rows.hpp"

namespace plumb::parity::settle::certify {
namespace {

constexpr std::uint64_t most_terms = std::uint64_t{1} << 26;  // added again for one output

std::span<const double> limits_of(const compare::Allowed& allowed) {
  return allowed.limits ? allowed.limits->probable.as<double>() : std::span<const double>();
}

/// The largest uncertainty of a finite element.
double largest(const compare::Allowed& uncertainty, const compare::Comparison& compared) {
  double most = uncertainty.at(std::isnan(compared.expected_absmax) ? 0 : compared.expected_absmax, ir::DType::f64);
  return std::max(most, compare::largest_limit(limits_of(uncertainty)) * uncertainty.of_limits);
}

/// Elements whose error is as close to its limit as the truth is uncertain. `ratio` is the largest error over its
/// limit.
std::vector<std::size_t> undecided(const ir::Tensor& truth, const ir::TensorView& got, const compare::Allowed& allowed,
                                   const compare::Allowed& uncertainty, double ratio) {
  std::vector<std::size_t> suspects;
  if (allowed.rule != compare::Allowed::Rule::within || !ir::is_float(got.dtype()) || std::isnan(ratio))
    return suspects;
  const double margin = std::max(1 - ratio, 0.0);  // share of every limit
  const auto limits = limits_of(allowed), off = limits_of(uncertainty);
  const bool wide = got.dtype() == ir::DType::f64;
  if (limits.empty() && !wide && margin > 0x1p-20) return suspects;  // ulps of the narrower type are 2^29 times those
  if (limits.empty() || off.empty()) {
    suspects.resize(static_cast<std::size_t>(truth.elements()));
    std::iota(suspects.begin(), suspects.end(), std::size_t{0});
  } else {
    suspects = compare::not_clear(limits, off, allowed.of_limits * margin / uncertainty.of_limits);
  }
  if (suspects.empty()) return suspects;
  const ir::Tensor came = ir::passes::widen(got);
  const auto y = truth.as<double>(), c = came.as<double>();
  std::erase_if(suspects, [&](std::size_t i) {
    const double size = std::abs(y[i]), doubt = uncertainty.at(size, ir::DType::f64, i);
    const double distance = std::abs(std::abs(c[i] - y[i]) - allowed.at(size, got.dtype(), i));
    return !(doubt > 0 && distance <= doubt);
  });
  return suspects;
}

/// Elements that are sums, by their terms; how many there was a way for.
std::uint64_t recompute_sums(const settle::Subject& subject, const std::vector<std::size_t>& which, ir::Tensor& truth) {
  const core::Segment& segment = subject.segment;
  const ir::Node& node = segment.graph.nodes().front();
  const ir::Op op = ir::passes::widen(segment.graph).nodes().front().op;  // its constants as the truth has them
  std::vector<ir::Tensor> wide;                                           // one input may be several operands
  for (const ir::Value v : node.inputs) wide.push_back(ir::passes::widen(subject.inputs[v]));
  if (std::ranges::any_of(wide, [](const ir::Tensor& x) { return ir::is_complex(x.dtype()); })) return 0;
  for (ir::Tensor& x : wide)
    if (x.dtype() != ir::DType::f64) x = ir::convert(x, ir::DType::f64);  // indices
  std::vector<element::terms::Operand> operands;
  for (const ir::Tensor& x : wide) operands.push_back({x.as<double>(), x.shape()});
  const auto walker = element::terms::find_walker(op, operands, truth.shape());
  if (!walker) return 0;
  const auto terms =
      static_cast<std::uint64_t>(std::max<std::int64_t>(ir::cost_of(segment.graph, node).contraction, 1));
  std::uint64_t done = 0;
  for (const std::size_t index : which) {
    if (done >= most_terms / terms) break;
    const auto element = element_of(*walker, index);
    if (!element) break;
    truth.as<double>()[index] = element->rounded();
    ++done;
  }
  return done;
}

/// Elements that are functions of sums which they share, row by row; how many there was a way for.
std::uint64_t recompute_rows(const settle::Subject& subject, std::size_t k, const std::vector<std::size_t>& which,
                             ir::Tensor& truth) {
  const auto rows = settle::shared_rows(subject, k, settle::widened_feeds(subject));
  if (!rows || rows->terms == 0) return 0;
  std::map<std::int64_t, std::vector<std::size_t>> by_row;
  for (const std::size_t i : which) by_row[rows->number_of[i]].push_back(i);
  std::vector<std::pair<std::int64_t, std::vector<std::size_t>>> all(by_row.begin(), by_row.end());
  all.resize(std::min(all.size(), static_cast<std::size_t>(most_terms / static_cast<std::uint64_t>(rows->terms))));
  std::atomic<std::uint64_t> done = 0;
  const auto y = truth.as<double>();
  core::for_each_piece(all.size(), core::workers_for(all.size()), [&](std::size_t n, std::size_t) {
    const auto row = rows->make(all[n].first);
    for (const std::size_t i : all[n].second)
      if (const auto exact = row->truth(static_cast<std::int64_t>(i))) {
        y[i] = *exact;
        ++done;
      }
  });
  return done;
}

/// Computes elements of the truth again; how many there was a way for.
std::uint64_t recompute(const settle::Subject& subject, std::size_t k, const std::vector<std::size_t>& which,
                        ir::Tensor& truth) {
  if (subject.segment.graph.nodes().size() != 1) return 0;
  const std::uint64_t sums = recompute_sums(subject, which, truth);
  return sums > 0 ? sums : recompute_rows(subject, k, which, truth);
}

}  // namespace

compare::Comparison certify(const settle::Subject& subject, std::size_t k, bounds::Bounded& bounded,
                            const compare::Allowed& allowed, const ir::TensorView& got,
                            cases::Certificate& certificate) {
  ir::Tensor& truth = bounded.truth.outputs.at(k);
  const compare::Allowed& uncertainty = bounded.uncertainty.at(k);
  const auto map = map_extents(subject, k);
  const compare::Comparison compared = compare::compare(truth, got, allowed, map);
  certificate.uncertainty = largest(uncertainty, compared);
  if (truth.dtype() != ir::DType::f64) return compared;
  const auto which = undecided(truth, got, allowed, uncertainty, compared.ratio_finite);
  if (!which.empty()) certificate.recomputed = recompute(subject, k, which, truth);
  certificate.undecided = which.size() - certificate.recomputed;
  return certificate.recomputed > 0 ? compare::compare(truth, got, allowed, map) : compared;
}

}  // namespace plumb::parity::settle::certify
