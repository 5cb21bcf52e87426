// Optimised: it loops over elements or terms.
#include "parity/settle/settle.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "ir/passes/widen.hpp"
#include "parity/compare/scan.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/core/parallel.hpp"
#include "parity/settle/feeds.hpp"
#include "parity/settle/folded_sum.hpp"
#include "parity/settle/replay.hpp"
#include "parity/settle/settle_rows.hpp"
#include "parity/settle/summing.hpp"
#include "parity/sums/running_limit.hpp"

namespace plumb::parity::settle {
namespace {

/// From where on elements are looked at: from half of what their tensor is held to, from what that is at least when
/// chance has no part in it, where that is more, or from the whole.
enum class OpenThreshold { half, fixed, whole };

/// The largest error, before it is stored, of an element that is not looked at.
double unlooked(const compare::Limit& limit, std::size_t i, OpenThreshold from) {
  const double whole = limit.probable[i];
  if (from == OpenThreshold::half) return whole / 2;
  const bool may_be_less = from == OpenThreshold::fixed && !limit.chance.empty();
  return may_be_less ? whole - std::min(whole / 2, limit.chance[i]) : whole;
}

/// Elements that are further off than `unlooked` and storing them allow. No limit lets in an infinity or a
/// NaN where the truth is finite.
std::vector<std::size_t> open_elements(const compare::Allowed& allowed, std::span<const double> truth,
                                       std::span<const double> got, ir::DType dtype, OpenThreshold from) {
  constexpr std::size_t piece_size = 16384;
  const compare::Limit limit(allowed, dtype);
  const std::size_t pieces = (truth.size() + piece_size - 1) / piece_size;
  std::vector<std::vector<std::size_t>> found(pieces);
  core::for_each_piece(pieces, core::workers_for(pieces), [&](std::size_t piece, std::size_t) {
    for (std::size_t i = piece * piece_size; i < std::min(truth.size(), (piece + 1) * piece_size); ++i) {
      const double error = std::abs(got[i] - truth[i]);
      // The spacing of subnormals is part of a tensor's limit, and counts by half as well.
      const double spacing = from == OpenThreshold::half ? allowed.absolute / 2 : 0;
      const bool is_within = error <= limit.with(unlooked(limit, i, from), std::abs(truth[i])) - spacing;
      if (!is_within && std::isfinite(truth[i]) && std::isfinite(got[i])) found[piece].push_back(i);
    }
  });
  std::vector<std::size_t> open;
  for (const auto& one : found) open.insert(open.end(), one.begin(), one.end());
  return open;
}

/// The limit of one element of the summing node that is stored as well.
sums::ElementLimit stored_limit(const Summing& summing, sums::ElementLimit limit, double truth) {
  const double stored = summing.stored * std::abs(truth);
  limit.probable += stored;
  limit.certain += stored;
  limit.fixed += stored;
  return limit;
}

/// The limit of one element of the summing node.
sums::ElementLimit exact_limit(const Summing& summing, const element::terms::ElementSum& sum, double truth) {
  return stored_limit(summing, sums::limit_of(sum, summing.arithmetic, summing.lambda), truth);
}

/// The limit of one element whose terms creep, likewise.
double wide_limit(const Summing& summing, const element::terms::ElementSum& sum, double truth) {
  return sums::wide_limit(sum, summing.arithmetic, summing.lambda) + summing.stored * std::abs(truth);
}

template <class Work>
void for_each_element(std::size_t count, const Work& work) {
  core::for_each_piece(count, core::workers_for(count), [&](std::size_t i, std::size_t) { work(i); });
}

/// Elements of a segment that is one sum: each is settled for good.
class SumSettler {
 public:
  SumSettler(const Subject& subject, const Summing& summing, const compare::Allowed& allowed, ir::DType dtype,
             bool limits_only)
      : subject_(subject),
        summing_(summing),
        allowed_(allowed),
        limit_(allowed, dtype),
        dtype_(dtype),
        limits_only_(limits_only) {}

  std::atomic<std::uint64_t> replayed = 0, wide = 0;
  std::atomic<std::uint64_t> beyond = 0;  ///< elements clearly beyond all that they may be, whatever the truth lacks
  std::atomic<std::uint64_t> terms = 0;   ///< those of all elements that were looked at

  /// Whether elements are running sums of which each is walked by itself.
  bool walks_prefixes() const {
    return summing_.walker.has_prefixes() && !sums::RunningLimit::is_known(summing_.arithmetic);
  }

  /// Puts the elements' own limits in place of those of the tensor, the certain ones, too, since a tensor's knows
  /// nothing below the smallest normal (verdict.md V18).
  void set_limits(std::span<const std::size_t> elements, const OpenElements& all) {
    if (summing_.walker.has_prefixes() && !walks_prefixes()) return set_limits_of_lines(elements, all);
    for_each_element(elements.size(), [&](std::size_t n) {
      const std::size_t i = elements[n];
      const element::terms::ElementSum sum = summing_.at(i);
      terms += sum.terms.size();
      const double truth = all.truth[i], got = all.got[i];
      const sums::ElementLimit exact = exact_limit(summing_, sum, truth);
      if (!is_open_still(i, all, exact)) return;
      const auto equal =
          subject_.sums.size() == 1 ? equals_replay(sum, subject_.sums[0], dtype_, got) : std::optional<bool>();
      if (equal.value_or(false)) {
        ++replayed;  // clearly within: the truth need not decide it anew
        return all.limits.widen(i, 2 * std::abs(got - truth) / allowed_.of_limits, 0);
      }
      // Only what cannot be replayed may creep (verdict.md V23).
      const bool may_creep = !equal || !gives_the_very_bits(sum, truth, summing_.arithmetic.flushed);
      widen_or_refuse(i, all, exact, may_creep ? std::optional(wide_limit(summing_, sum, truth)) : std::nullopt);
    });
  }

 private:
  /// Running sums, by their lines: each has the terms of the one before it. They are compensated, and not replayed.
  void set_limits_of_lines(std::span<const std::size_t> elements, const OpenElements& all) {
    struct Element {
      element::terms::Prefix of;
      std::size_t i;
    };
    std::map<std::int64_t, std::vector<Element>> by_line;
    for (const std::size_t i : elements) {
      const element::terms::Prefix of = summing_.walker.prefix(static_cast<std::int64_t>(i));
      by_line[of.first].push_back({of, i});
    }
    std::vector<std::pair<std::int64_t, std::vector<Element>>> lines(by_line.begin(), by_line.end());
    for_each_element(lines.size(), [&](std::size_t n) {
      std::vector<Element>& line = lines[n].second;
      std::ranges::sort(line, std::less<>(), [](const Element& one) { return one.of.count; });
      sums::RunningLimit running(summing_.arithmetic, summing_.lambda, line.back().of.terms());
      for (const Element& one : line) {
        terms += static_cast<std::uint64_t>(one.of.count);
        running.go_to(one.of.count);
        const double truth = all.truth[one.i], stored = summing_.stored * std::abs(truth);
        const sums::ElementLimit exact = stored_limit(summing_, running.limit(), truth);
        if (is_open_still(one.i, all, exact)) widen_or_refuse(one.i, all, exact, running.wide_limit() + stored);
      }
    });
  }

  /// Sets the limits of an element; whether it is beyond them, and more is to be found out.
  bool is_open_still(std::size_t i, const OpenElements& all, const sums::ElementLimit& exact) const {
    const SettledLimits& limits = all.limits;
    limits.tighten(i, exact.probable, exact.probable - exact.fixed);
    limits.certain[i] = std::max(limits.certain[i], exact.certain);
    if (limits_only_ || !std::isfinite(exact.probable)) return false;
    return !(std::abs(all.got[i] - all.truth[i]) <= limit_.with(limits.probable[i], std::abs(all.truth[i])));
  }

  /// `creeping`: what an element may be off that creeps, where it may.
  void widen_or_refuse(std::size_t i, const OpenElements& all, const sums::ElementLimit& exact,
                       std::optional<double> creeping) {
    const double size = std::abs(all.truth[i]), error = std::abs(all.got[i] - all.truth[i]),
                 most = creeping.value_or(0);
    if (!creeping || error > limit_.with(most, size)) {
      const double doubt = dtype_ == ir::DType::f64 ? exact.certain : 0;
      if (error > 2 * limit_.with(std::max({all.limits.probable[i], most, doubt}), size)) ++beyond;
      return;
    }
    ++wide;
    all.limits.widen(i, most, exact.probable - exact.fixed);
  }

  const Subject& subject_;
  const Summing& summing_;
  const compare::Allowed& allowed_;
  const compare::Limit limit_;
  const ir::DType dtype_;
  const bool limits_only_;
};

/// Looks at open elements one by one, those first that are furthest beyond what their tensor is held to; how many. Once
/// one is clearly beyond all that is allowed it the output fails, whatever the others are: unless `all_of_them` are
/// asked for, no more are looked at once 2^22 terms have been walked. A line of n running sums has n² / 2: where each
/// has to be walked by itself, no more than 2^28 are for anything. What is left keeps the limits of the tensor.
std::size_t look_at(SumSettler& alone, const OpenElements& all, bool all_of_them) {
  constexpr std::uint64_t most_terms = std::uint64_t{1} << 22, most_of_prefixes = std::uint64_t{1} << 28;
  const bool walks_prefixes = alone.walks_prefixes();
  const compare::Limit limit(all.allowed, all.dtype);
  std::vector<std::pair<double, std::size_t>> order;
  for (const std::size_t i : all.indices) {
    const double allowed = limit.with(all.limits.probable[i], std::abs(all.truth[i]));
    order.emplace_back(-std::abs(all.got[i] - all.truth[i]) / allowed, i);
  }
  if (!all_of_them || walks_prefixes) std::ranges::sort(order);
  const std::size_t most = walks_prefixes ? 64 + most_of_prefixes / all.truth.size() : order.size();
  std::size_t begin = 0;
  for (std::size_t count = 64; begin < order.size(); begin += count, count *= 2) {
    if (!all_of_them && alone.beyond > 0 && alone.terms > most_terms) break;
    if (walks_prefixes && alone.terms > most_of_prefixes) break;
    count = std::min({count, most, order.size() - begin});
    std::vector<std::size_t> elements;
    for (std::size_t n = begin; n < begin + count; ++n) elements.push_back(order[n].second);
    alone.set_limits(elements, all);
  }
  return begin;
}

/// A segment whose sum has something behind it in the kernel: limits of elements of the sum are carried on.
class EpilogueLimits {
 public:
  EpilogueLimits(const Subject& subject, const ir::Feeds& fed, const Summing& summing, std::size_t k)
      : subject_(subject), fed_(fed), summing_(summing), k_(k), folded_(folded_sum(subject, fed, summing)) {}

  /// The limits of these elements of the output by those of its sums, the probable ones, if `wide`, by what sums may be
  /// off that creep. Those of other elements are whatever.
  compare::Limits limits(const std::vector<std::size_t>& elements, bool wide) const {
    const ir::Tensor none({ir::DType::f64, summing_.shape});
    compare::Limits exact{none, none, {}, none};
    const auto probable = exact.probable.as<double>(), certain = exact.certain.as<double>(),
               chance = exact.chance->as<double>();
    const ir::Node* const at_place = node_at_place(subject_, k_);
    const bool is_by_place = at_place != nullptr && at_place->outputs[0] == summing_.sum;
    for_each_element(is_by_place ? elements.size() : probable.size(), [&](std::size_t n) {
      const std::size_t i = is_by_place ? elements[n] : n;
      element::terms::ElementSum sum;
      summing_.walker(static_cast<std::int64_t>(i), sum);
      double total = 0;
      for (const element::terms::Product& term : sum.terms) total += term.value();
      const double made = total * sum.scale / sum.divisor;
      const sums::ElementLimit limit = exact_of(i, sum, made);
      const double besides = fixed_of_logarithm(made);
      probable[i] = of_result(wide ? wide_of(i, sum, made, limit.certain) : limit.probable, made) + besides;
      certain[i] = of_result(limit.certain, made) + besides;
      chance[i] = of_result(limit.probable - limit.fixed, made);
    });
    bounds::KnownErrors known;
    known.emplace(summing_.sum, std::move(exact));
    const auto again = bounds::evaluate_bounded(subject_.reference, subject_.segment, fed_, subject_.manner, known);
    return *again.allowed.at(k_).limits;
  }

 private:
  /// The error of the node's result from `error` of a sum; a logarithm may be anything beyond half of the sum.
  double of_result(double error, double made) const {
    if (!summing_.is_logarithm) return error;
    const double relative = error / std::abs(made);
    return relative <= 0.5 ? -std::log1p(-relative) : compare::anything;
  }
  double fixed_of_logarithm(double made) const {
    return summing_.is_logarithm && made > 0 ? 8 * summing_.arithmetic.unit * std::abs(std::log(made)) : 0;
  }

  /// By the terms of the sum, and by those that it has where a norm behind it is folded into its factors.
  sums::ElementLimit exact_of(std::size_t i, const element::terms::ElementSum& sum, double made) const {
    const sums::ElementLimit limit = exact_limit(summing_, sum, made);
    if (!folded_) return limit;
    const sums::ElementLimit folded = folded_->limit(i, sum, [&](const element::terms::ElementSum& own) {
      return sums::limit_of(own, summing_.arithmetic, summing_.lambda);
    });
    return {std::max(limit.probable, folded.probable), std::max(limit.certain, folded.certain),
            folded.probable > limit.probable ? folded.fixed : limit.fixed};
  }

  /// Where something else than a norm is folded, or in another way, the bits of the kernel's terms are unknown, and the
  /// loss of equal terms one after the other has no limit except the certain one.
  double wide_of(std::size_t i, const element::terms::ElementSum& sum, double made, double certain) const {
    if (sums::multiplicity(sum) < 2) {
      const double wide = wide_limit(summing_, sum, made);
      if (!folded_) return wide;
      const auto wide_of_folded = [&](const element::terms::ElementSum& own) {
        return sums::ElementLimit{.probable = sums::wide_limit(own, summing_.arithmetic, summing_.lambda)};
      };
      return std::max(wide, folded_->limit(i, sum, wide_of_folded).probable);
    }
    double sizes = 0;
    for (const element::terms::Product& term : sum.terms) sizes += std::abs(term.value());
    return certain + 2 * summing_.arithmetic.unit * sizes;  // folding rounds the factors
  }

  const Subject& subject_;
  const ir::Feeds& fed_;
  const Summing& summing_;
  const std::size_t k_;
  const std::optional<FoldedSum> folded_;
};

/// Sets the limits of open elements with ops behind the sum; returns how many pass only as sums that creep.
std::uint64_t settle_behind_sum(const EpilogueLimits& carried, const std::vector<std::size_t>& open,
                                const OpenElements& all) {
  const compare::Limit limit(all.allowed, all.dtype);
  const SettledLimits& limits = all.limits;
  const std::span<double> probable = limits.probable, certain = limits.certain;
  const std::span<const double> truth = all.truth, got = all.got;
  const compare::Limits exact = carried.limits(open, false);
  const auto chance_of = [](const compare::Limits& found, std::size_t i) {
    return found.chance ? found.chance->as<double>()[i] : 0;
  };
  std::vector<std::size_t> beyond;
  for (const std::size_t i : open) {
    limits.tighten(i, exact.probable.as<double>()[i], chance_of(exact, i));
    certain[i] = std::max(certain[i], exact.certain.as<double>()[i]);
    if (!(std::abs(got[i] - truth[i]) <= limit.with(probable[i], std::abs(truth[i])))) beyond.push_back(i);
  }
  if (all.limits_only || beyond.empty()) return 0;
  const compare::Limits wide = carried.limits(beyond, true);
  std::uint64_t count = 0;
  for (const std::size_t i : beyond) {
    const double most = wide.probable.as<double>()[i];
    if (!(std::abs(got[i] - truth[i]) <= limit.with(most, std::abs(truth[i])))) continue;
    limits.widen(i, most, chance_of(wide, i));
    ++count;
  }
  return count;
}

bool is_one_node(const Subject& subject) { return subject.segment.graph.nodes().size() == 1; }

/// Ops behind a sum in its kernel round as well, a gelu more than the sum. Where the terms of the sum are not known, or
/// where all of its elements would have to be looked at for one of the output, only those count that are beyond the
/// whole limit.
OpenThreshold open_threshold(const Subject& subject, std::size_t k) {
  if (is_one_node(subject)) return OpenThreshold::half;
  const ir::Node* const sum = node_at_place(subject, k);
  const ir::Graph& graph = subject.segment.graph;
  const auto has_known_terms = [&] {
    return graph.type(sum->outputs[0]).dtype == ir::DType::f32 || !may_be_folded(graph, *sum);
  };
  return sum != nullptr && has_known_terms() ? OpenThreshold::fixed : OpenThreshold::whole;
}

/// Where the limits of elements are, λσ of each by itself where it is known.
SettledLimits places_in(compare::Limits& limits, std::span<const double> truth) {
  if (!limits.chance && !std::isnan(limits.fixed)) {
    limits.chance = limits.probable;
    const auto chance = limits.chance->as<double>();
    for (std::size_t i = 0; i < chance.size(); ++i) chance[i] -= limits.fixed * std::abs(truth[i]);
  }
  return {limits.probable.as<double>(), limits.certain.as<double>(),
          limits.chance ? limits.chance->as<double>() : std::span<double>()};
}

/// These elements of output `k`; the limits of the others stay. Without `looks` limits are found, and nothing else.
SettledOutput settle_these(const Subject& subject, std::size_t k, const compare::Allowed& allowed,
                           const std::vector<std::size_t>& open, std::span<const double> truth,
                           std::span<const double> c, ir::DType dtype, std::optional<Looks> looks) {
  const bool limits_only = !looks;
  const bool is_alone = is_one_node(subject);
  SettledOutput settled{allowed};
  const ir::Feeds fed = widened_feeds(subject);
  compare::Limits limits = *allowed.limits;
  const OpenElements all{allowed, open, truth, c, dtype, places_in(limits, truth), limits_only};
  if (is_alone)
    if (const auto by_rows = settle_rows(subject, k, fed, all)) {
      settled.allowed.limits = std::make_shared<const compare::Limits>(std::move(limits));
      return {settled.allowed, *by_rows};
    }
  const auto summing = summing_node(subject, fed);
  if (!summing) return settled;
  cases::Settled& counts = settled.counts;
  counts.open = open.size();
  if (is_alone) {
    SumSettler alone(subject, *summing, allowed, dtype, limits_only);
    counts.open = look_at(alone, all, looks != Looks::until_one_fails);
    counts.left = open.size() - counts.open;
    counts.replayed = alone.replayed;
    counts.wide = alone.wide;
  } else {
    counts.wide = settle_behind_sum(EpilogueLimits(subject, fed, *summing, k), open, all);
  }
  settled.allowed.limits = std::make_shared<const compare::Limits>(std::move(limits));
  return settled;
}

}  // namespace

SettledOutput settle(const Subject& subject, std::size_t k, const bounds::Bounded& bounded, const ir::TensorView& got,
                     Looks looks) {
  const compare::Allowed& allowed = bounded.allowed.at(k);
  if (!allowed.limits || !ir::is_float(got.dtype())) return {allowed};
  const ir::Tensor came = ir::passes::widen(got);
  const std::span<const double> truth = bounded.truth.outputs.at(k).as<double>(), c = came.as<double>();
  const std::vector<std::size_t> open = open_elements(allowed, truth, c, got.dtype(), open_threshold(subject, k));
  if (open.empty()) return {allowed};
  return settle_these(subject, k, allowed, open, truth, c, got.dtype(), looks);
}

compare::Allowed exact_limits(const Subject& subject, std::size_t k, const bounds::Bounded& bounded, ir::DType dtype) {
  const compare::Allowed& allowed = bounded.allowed.at(k);
  if (!allowed.limits || !ir::is_float(dtype)) return allowed;
  const std::span<const double> truth = bounded.truth.outputs.at(k).as<double>();
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (std::isfinite(truth[i])) all.push_back(i);
  if (all.empty()) return allowed;
  return settle_these(subject, k, allowed, all, truth, truth, dtype, std::nullopt).allowed;
}

}  // namespace plumb::parity::settle
