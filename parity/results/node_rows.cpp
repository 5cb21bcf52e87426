// Rows of the table of nodes: what was measured of an output, how it stands to its limits, and what is kept of runs
// that passed.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "parity/core/float_format.hpp"
#include "parity/results/results_rows.hpp"

namespace plumb::parity::results {
namespace {

template <std::size_t bins>
void add_counts(std::vector<std::uint32_t>& cells, const std::array<std::uint64_t, bins>& counts) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint64_t count : counts) cells.push_back(static_cast<std::uint32_t>(std::min(count, most)));
}

void put(const compare::Extreme& extreme, double& value, std::uint64_t& at) {
  value = extreme.value;
  if (!std::isnan(extreme.value)) at = extreme.index;
}

/// Adds the measurements of the errors, whatever limits they had.
void add_measured(Node& row, const compare::Comparison& c) {
  row.n = c.n;
  row.n_bad = c.n_bad;
  row.n_nan_ref = c.n_nan_expected;
  row.n_nan_dev = c.n_nan_got;
  row.n_inf_ref = c.n_inf_expected;
  row.n_inf_dev = c.n_inf_got;
  put(c.max_abs, row.max_abs, row.max_abs_at);
  put(c.max_rel, row.max_rel, row.max_rel_at);
  row.max_ulp = c.max_ulp.value;
  row.ulp_p50 = static_cast<float>(c.ulp_p50);
  row.ulp_p99 = static_cast<float>(c.ulp_p99);
  row.ulp_p999 = static_cast<float>(c.ulp_p999);
  row.mean_signed = c.mean_signed;
  row.rms = c.rms;
  row.nmse = c.nmse;
  row.cosine = c.cosine;
  row.ref_absmax = c.expected_absmax;
  row.ref_rms = c.expected_rms;
  row.ref_norm1 = c.expected_norm1;
  row.ref_norm2 = c.expected_norm2;
  row.n_nan_differ = c.n_nan_differ;
  row.n_inf_differ = c.n_inf_differ;
  row.headroom_f16 = static_cast<float>(c.expected_absmax / core::float_format(ir::DType::f16).largest());
}

/// How the errors stand to their limits.
void add_judged(Node& row, const cases::NodeResult& result, const compare::Comparison& c) {
  row.vacuity = static_cast<float>(result.vacuity.score());
  row.ref_uncert = result.certificate.uncertainty;
  row.n_recomputed = result.certificate.recomputed;
  row.n_undecided = result.certificate.undecided;
  row.n_open = result.settled.open;
  row.n_replayed = result.settled.replayed;
  row.n_wide = result.settled.wide;
  row.n_out_of_range = result.settled.out_of_range;
  row.emulator_ulp = result.emulator_ulp.value_or(compare::not_computed);
  row.ratio_max = c.ratio();
  row.ratio_det = c.ratio_certain;
  row.ratio_finite = c.ratio_finite;
  row.ratio_p99 = static_cast<float>(c.ratio_p99);
  row.lambda = result.lambda;
  row.sigma_max = c.sigma_max;
  row.ratio_certain = c.ratio_certain;
  if (!c.worst.empty()) row.bound_at_max = c.worst.front().allowed;
  const cases::LimitParts limit = cases::limit_parts(result);
  row.limit_by = limit.by;
  row.limit_sigma = limit.sigma;
  row.limit_fixed = limit.fixed;
  row.limit_certain = limit.certain;
  if (result.rule) row.rule = static_cast<std::int32_t>(*result.rule);
}

/// Where the ":3)" of a line of a file begins, from a place on.
std::size_t line_number(const std::string& text, std::size_t from) {
  for (std::size_t colon = text.find(':', from); colon != text.npos; colon = text.find(':', colon + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789", colon + 1);
    if (end != text.npos && end > colon + 1 && text[end] == ')') return colon;
  }
  return text.npos;
}

/// "rule x (ci.toml:3)", in place of "rule x (/home/me/ci.toml:3)", wherever there is one: a results file says nothing
/// of the machine's folders.
std::string without_policy_folder(std::string why) {
  for (std::size_t begin = why.find("(/"); begin != why.npos; begin = why.find("(/", begin + 1)) {
    const std::size_t colon = line_number(why, begin);
    if (colon == why.npos) break;
    why.erase(begin + 1, why.rfind('/', colon) - begin);
  }
  return why;
}

/// Adds the findings in a sample of the output.
void add_sample(Node& row, const cases::NodeResult& result) {
  row.sensitivity = static_cast<float>(result.sensitivity.share);
  row.n_oracle = result.oracle.asked;
  row.n_oracle_bad = result.oracle.bad + result.oracle.bad_limits;
  row.n_replay = result.replays.asked;
  row.n_replay_equal = result.replays.equal;
  const cases::Statistics& found = result.statistics;
  row.rounds_off = !found.finding.empty() && result.why == found.finding;
  row.rho = static_cast<float>(found.rho);
  row.bits_accumulator = static_cast<float>(found.bits_accumulator);
  row.bits_operand = static_cast<float>(found.bits_operand);
  row.misrounded = static_cast<float>(found.misrounded);
  row.misrounded_bound = static_cast<float>(found.misrounded_bound);
  row.bias = static_cast<float>(found.bias);
  row.bias_t = static_cast<float>(found.bias_t);
}

/// Adds the units that its ratio is about, and the choices and residuals that were read off the output.
void add_units(Node& row, const cases::Units& units) {
  row.kind = units.kind;
  row.n_units = units.count;
  row.n_free = units.decisions.free;
  row.free_bound = static_cast<float>(units.decisions.bound);
  row.residual = static_cast<float>(units.residual);
  row.orthogonality = static_cast<float>(units.orthogonality);
}

void add_special(Node& row, const cases::SpecialClass& special) {
  row.special = special.of;
  if (special.of > cases::Special::none) row.special_at = special.at;
}

/// To 24 bits and towards zero, so that what was within a limit still is.
double shortened(double x) {
  constexpr std::uint64_t dropped = (std::uint64_t{1} << 29) - 1;
  return std::isfinite(x) ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~dropped) : x;
}

TopElement shortened(const TopElement& element) { return {.index = element.index, .bound = shortened(element.bound)}; }

Node shortened(const Node& row) {
  Node kept = row;
  const Node none;
  for (auto member : {&Node::ratio_max, &Node::ratio_certain, &Node::sigma_max}) kept.*member = shortened(row.*member);
  for (auto member : {&Node::max_abs, &Node::nmse, &Node::max_rel, &Node::max_ulp, &Node::mean_signed, &Node::rms,
                      &Node::cosine, &Node::ref_absmax, &Node::ref_rms, &Node::ref_norm1, &Node::ref_norm2,
                      &Node::ref_uncert, &Node::bound_at_max, &Node::ratio_det, &Node::ratio_finite})
    kept.*member = none.*member;
  for (auto member :
       {&Node::ulp_p50, &Node::ulp_p99, &Node::ulp_p999, &Node::ratio_p99, &Node::blame, &Node::headroom_f16,
        &Node::rho, &Node::bits_accumulator, &Node::bits_operand, &Node::misrounded_bound, &Node::bias, &Node::bias_t})
    kept.*member = none.*member;
  for (auto member : {&Node::max_abs_at, &Node::max_rel_at, &Node::t_ref_ns, &Node::t_dev_ns})
    kept.*member = none.*member;
  return kept;
}

}  // namespace

void Rows::add(const cases::NodeResult& result) {
  add_part(result, Part::local, result.local);
  if (!result.hash) return;  // it was not compared
  add_part(result, Part::inherited, result.inherited);
  add_part(result, Part::total, result.total);
  if (result.converted) add_part(result, Part::converted, *result.converted);
}

void Rows::describe_kernel(Node& row, const cases::NodeResult& result) {
  row.placement = result.placement;
  row.kernel_id = name_id_(result.kernel);
  row.tile_id = name_id_(result.tile);
  if (const auto accumulator = ir::accumulator_of(result.sums)) row.accumulation = *accumulator;
  row.tree = sums_.place(result.label, result.sums);
  row.n_sums = static_cast<std::uint16_t>(result.sums.size());
  row.group = static_cast<std::uint32_t>(result.group);
  row.paired = result.paired;
}

void Rows::add_part(const cases::NodeResult& result, Part part, const compare::Comparison& c) {
  const Part of_run = result.converted ? Part::converted : Part::total;
  const bool has_limit = part == Part::local || (part == of_run && result.gates_total);
  const bool judged = has_limit && result.hash.has_value();
  Node row;
  row.run = run_;
  row.node = node_row(graph_, result.node);
  row.out = static_cast<std::uint16_t>(result.output);
  row.part = part;
  add_measured(row, c);
  describe_kernel(row, result);
  row.t_ref_ns = result.reference_ns.value_or(no_number);
  row.t_dev_ns = result.device_ns.value_or(no_number);
  row.out_hash = result.hash.value_or(no_number);
  row.of_plain_run = result.is_of_plain_run;
  row.verdict = has_limit ? result.verdict : core::Verdict::skipped;
  row.no_truth = result.lacks_truth;
  if (judged) add_judged(row, result, c);
  if (part == Part::local) row.why_id = name_id_(without_policy_folder(result.why));
  if (part == Part::local) row.guilty = result.is_guilty;
  if (part == Part::local) add_special(row, result.special);
  if (part == Part::local) add_sample(row, result);
  if (part == Part::local && judged) add_units(row, result.units);
  if (part == Part::inherited) row.amplification = static_cast<float>(result.amplification);
  if (part == Part::local)
    for (const double share : result.blame)
      if (!(std::abs(share) <= std::abs(row.blame))) row.blame = static_cast<float>(share);
  nodes.push_back(row);
  add_counts(hist_ulp, c.hist_ulp);
  add_counts(hist_ratio, judged ? c.hist_ratio : decltype(c.hist_ratio){});
  for (std::size_t k = 0; k < compare::Comparison::worst_kept; ++k) {
    TopElement element;
    if (k < c.worst.size())
      element = {c.worst[k].index, c.worst[k].expected, c.worst[k].got,
                 judged ? c.worst[k].allowed : compare::not_computed};
    topk.push_back(element);
  }
}

void Rows::shorten() {
  constexpr std::size_t bins = compare::Comparison::ulp_bins, ratios = compare::Comparison::ratio_bins,
                        worst = compare::Comparison::worst_kept;
  std::set<std::pair<std::uint32_t, std::uint16_t>> of_results;
  for (const ir::Value value : graph_.results())
    if (const auto producer = graph_.producer(value)) {
      const auto& outputs = graph_.nodes()[*producer].outputs;
      const auto out = std::ranges::find(outputs, value) - outputs.begin();
      of_results.emplace(node_row(graph_, *producer), static_cast<std::uint16_t>(out));
    }
  Rows kept(graph_, run_, name_id_, sums_);
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    const Node& row = nodes[r];
    const bool is_own = row.part == Part::local, is_judged = row.verdict != core::Verdict::skipped;
    const bool is_of_result = row.part != Part::inherited && of_results.contains({row.node, row.out});
    if (!is_own && !is_judged && !is_of_result) continue;
    kept.nodes.push_back(is_own ? shortened(row) : row);
    const auto copy = [&](const auto& from, auto& to, std::size_t width) {
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(r * width),
                from.begin() + static_cast<std::ptrdiff_t>((r + 1) * width));
    };
    if (!is_own) {
      copy(hist_ulp, kept.hist_ulp, bins);
      copy(hist_ratio, kept.hist_ratio, ratios);
      copy(topk, kept.topk, worst);
      continue;
    }
    kept.hist_ulp.resize(kept.hist_ulp.size() + bins);
    kept.hist_ratio.resize(kept.hist_ratio.size() + ratios);
    kept.topk.push_back(shortened(topk[r * worst]));
    kept.topk.resize(kept.nodes.size() * worst);
  }
  std::swap(nodes, kept.nodes);
  std::swap(topk, kept.topk);
  std::swap(hist_ulp, kept.hist_ulp);
  std::swap(hist_ratio, kept.hist_ratio);
}

}  // namespace plumb::parity::results
