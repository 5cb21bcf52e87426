// The members of judgements, one behind the other. Each struct is taken apart by a structured binding, which does not
// compile any more when it gets a member that is not named here.
#include "parity/results/kept_bytes.hpp"

#include <concepts>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ir/error.hpp"

namespace plumb::parity::results {
namespace {

template <class T, class Struct>
concept Of = std::same_as<std::remove_const_t<T>, Struct>;

template <class T>
concept Number = std::is_arithmetic_v<T>;

template <class Bytes>
void members(Bytes& bytes, Of<compare::Extreme> auto& x) {
  auto& [value, index] = x;
  bytes(value, index);
}
template <class Bytes>
void members(Bytes& bytes, Of<compare::Worst> auto& x) {
  auto& [index, expected, got, allowed, ratio] = x;
  bytes(index, expected, got, allowed, ratio);
}
template <class Bytes>
void members(Bytes& bytes, Of<compare::WorstLimit> auto& x) {
  auto& [rule, chance, certain] = x;
  bytes(rule, chance, certain);
}
template <class Bytes>
void members(Bytes& bytes, Of<compare::RatioMap> auto& x) {
  auto& [extents, cells] = x;
  bytes(extents.rows, extents.columns, cells);
}
template <class Bytes>
void members(Bytes& bytes, Of<compare::Comparison> auto& x) {
  auto& [n, n_bad, n_nan_expected, n_nan_got, n_inf_expected, n_inf_got, n_zero_expected, n_nan_differ, n_inf_differ,
         n_without_limit, n_apart, n_exact, constant, max_abs, max_rel, max_ulp, ulp_p50, ulp_p99, ulp_p999, ratio_p99,
         mean_signed, rms, nmse, rel_l2, cosine, expected_absmax, expected_rms, expected_norm1, expected_norm2,
         ratio_finite, ratio_certain, sigma_max, limit, worst, hist_ulp, hist_ratio, map] = x;
  bytes(n, n_bad, n_nan_expected, n_nan_got, n_inf_expected, n_inf_got, n_zero_expected, n_nan_differ, n_inf_differ);
  bytes(n_without_limit, n_apart, n_exact, constant, max_abs, max_rel, max_ulp, ulp_p50, ulp_p99, ulp_p999, ratio_p99);
  bytes(mean_signed, rms, nmse, rel_l2, cosine, expected_absmax, expected_rms, expected_norm1, expected_norm2);
  bytes(ratio_finite, ratio_certain, sigma_max, limit, worst, hist_ulp, hist_ratio, map);
}
/// Without the limits of single elements, which nobody has any more when a node is judged.
template <class Bytes>
void members(Bytes& bytes, Of<compare::Allowed> auto& x) {
  auto& [rule, limits, of_limits, lambda, relative, ulps, absolute, storage, subnormal, decides_ties, by_part] = x;
  static_cast<void>(limits);
  bytes(rule, of_limits, lambda, relative, ulps, absolute, storage, subnormal, decides_ties, by_part);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::LimitParts> auto& x) {
  auto& [by, sigma, fixed, certain] = x;
  bytes(by, sigma, fixed, certain);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Certificate> auto& x) {
  auto& [uncertainty, recomputed, undecided] = x;
  bytes(uncertainty, recomputed, undecided);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Settled> auto& x) {
  auto& [open, left, replayed, out_of_range, wide, first_ratio] = x;
  bytes(open, left, replayed, out_of_range, wide, first_ratio);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Decision> auto& x) {
  auto& [what, where, chosen, truth, margin, limit, is_admissible] = x;
  bytes(what, where, chosen, truth, margin, limit, is_admissible);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Decisions> auto& x) {
  auto& [count, free, refused, bound, differing] = x;
  bytes(count, free, refused, bound, differing);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Units> auto& x) {
  auto& [kind, count, beyond, flagged, untraced, decisions, residual, orthogonality] = x;
  bytes(kind, count, beyond, flagged, untraced, decisions, residual, orthogonality);
}
template <class Bytes>
void members(Bytes& bytes, Of<compare::Telling> auto& x) {
  auto& [elements, not_finite, informative, loose, has_precise] = x;
  bytes(elements, not_finite, informative, loose, has_precise);
}
template <class Bytes>
void members(Bytes& bytes, Of<compare::Vacuity> auto& x) {
  auto& [zeros, saturated, not_finite, constant, exact] = x;
  bytes(zeros, saturated, not_finite, constant, exact);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::SpecialClass> auto& x) {
  auto& [of, at] = x;
  bytes(of, at);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Measured> auto& x) {
  auto& [local, inherited, total, converted, gates_total, amplification, blame, expected, allowed, lambda, limit,
         certificate, settled, units, telling, vacuity, special, reference_ns, emulator_ulp, emulator_share,
         emulator_pattern] = x;
  bytes(local, inherited, total, converted, gates_total, amplification, blame, expected, allowed, lambda, limit);
  bytes(certificate, settled, units, telling, vacuity, special, reference_ns, emulator_ulp, emulator_share);
  bytes(emulator_pattern);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::OracleSample> auto& x) {
  auto& [asked, bad, element, truth, oracle, limits, bad_limits, limit_element, chance, chance_of_terms, is_of_steps] =
      x;
  bytes(asked, bad, element, truth, oracle, limits, bad_limits, limit_element, chance, chance_of_terms, is_of_steps);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::ReplaySample> auto& x) {
  auto& [asked, equal] = x;
  bytes(asked, equal);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Sensitivity> auto& x) {
  auto& [sampled, share, is_figure] = x;
  bytes(sampled, share, is_figure);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Statistics> auto& x) {
  auto& [n, rho, bits_accumulator, bits_operand, misrounded, misrounded_bound, bias, bias_t, finding] = x;
  bytes(n, rho, bits_accumulator, bits_operand, misrounded, misrounded_bound, bias, bias_t, finding);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Pattern> auto& x) {
  auto& [kind, period, phase, k0, k1, score, text] = x;
  bytes(kind, period, phase, k0, k1, score, text);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Checked> auto& x) {
  auto& [oracle, replays, sensitivity, statistics, patterns] = x;
  bytes(oracle, replays, sensitivity, statistics, patterns);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::Judged> auto& x) {
  auto& [verdict, lacks_truth, why, is_guilty, total_beyond, rule, explanation] = x;
  bytes(verdict, lacks_truth, why, is_guilty, total_beyond, rule, explanation);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::NonFiniteOrigin> auto& x) {
  auto& [kind, node, element, from, special, elements, heirs] = x;
  bytes(kind, node, element, from, special, elements, heirs);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::KeptOutput> auto& x) {
  auto& [measured, checked, judged, error, is_clean] = x;
  bytes(measured, checked, judged, error, is_clean);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::TruthWord> auto& x) {
  auto& [output, word, bits] = x;
  bytes(output, word, bits);
}
template <class Bytes>
void members(Bytes& bytes, Of<cases::KeptNode> auto& x) {
  auto& [key, truth, truer, outputs, notes, non_finite] = x;
  bytes(key, truth, truer, outputs, notes, non_finite);
}

/// Puts values behind one another.
class Writing {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string text = {};

 private:
  void put(const Number auto& value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(const std::string& value) {
    put(value.size());
    text += value;
  }
  template <class T>
  requires std::is_enum_v<T>
  void put(const T& value) { put(static_cast<std::uint8_t>(value)); }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  template <class T, std::size_t n>
  void put(const std::array<T, n>& values) {
    for (const T& value : values) put(value);
  }
  void put(const auto& value) { members(*this, value); }
};

/// Takes them apart again.
class Reading {
 public:
  explicit Reading(std::string_view bytes) : left_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  void end() const { ir::require(left_.empty(), "a kept node has ", left_.size(), " bytes too many"); }

 private:
  std::string_view take(std::size_t count) {
    ir::require(count <= left_.size(), "a kept node ends early");
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  void get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    ir::require(byte <= 1, "a kept node is neither true nor false: ", byte);
    value = byte == 1;
  }
  void get(Number auto& value) { std::memcpy(&value, take(sizeof value).data(), sizeof value); }
  /// A count of things of at least a byte each.
  std::size_t get_count() {
    std::size_t count = 0;
    get(count);
    ir::require(count <= left_.size(), "a kept node ends early");
    return count;
  }
  void get(std::string& value) { value = take(get_count()); }
  template <class T>
  requires std::is_enum_v<T>
  void get(T& value) {
    std::uint8_t number = 0;
    get(number);
    ir::require(number < enum_names(T{}).size(), "a kept node has a word without a name, number ", number);
    value = static_cast<T>(number);
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool has_value = false;
    get(has_value);
    value.reset();
    if (has_value) get(value.emplace());
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.clear();
    for (std::size_t count = get_count(); count > 0; --count) get(values.emplace_back());
  }
  template <class T, std::size_t n>
  void get(std::array<T, n>& values) {
    for (T& value : values) get(value);
  }
  void get(auto& value) { members(*this, value); }

  std::string_view left_;
};

}  // namespace

std::string bytes_of(std::size_t n, const cases::KeptNode& node) {
  Writing bytes;
  bytes(n, node);
  return std::move(bytes.text);
}

std::string bytes_of(std::span<const std::string> texts) {
  Writing bytes;
  bytes(std::vector<std::string>(texts.begin(), texts.end()));
  return std::move(bytes.text);
}

std::pair<std::size_t, cases::KeptNode> node_in(std::string_view bytes) {
  std::pair<std::size_t, cases::KeptNode> found;
  Reading reading(bytes);
  reading(found.first, found.second);
  reading.end();
  return found;
}

std::vector<std::string> texts_in(std::string_view bytes) {
  std::vector<std::string> found;
  Reading reading(bytes);
  reading(found);
  reading.end();
  return found;
}

}  // namespace plumb::parity::results
