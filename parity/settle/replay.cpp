// Optimised: it loops over elements or terms.
#include "parity/settle/replay.hpp"

#include <algorithm>
#include <cmath>

#include "ir/tensor.hpp"
#include "parity/core/float_format.hpp"
#include "parity/profile/emulator.hpp"

namespace plumb::parity::settle {
namespace {

/// Whether a result agrees with the replayed sum: in the very bits where it is only stored, else within the roundings
/// of the ops behind the sum.
bool agrees(const element::terms::ElementSum& sum, float replayed, ir::DType dtype, double got) {
  if (sum.scale == 1 && sum.divisor == 1 && sum.added.empty()) return stored_as(dtype, replayed) == got;
  double value = sum.scale * replayed / sum.divisor;
  for (const element::terms::Product& term : sum.added) value += term.value();
  double off = sums::limit_behind(sum, replayed, {});
  if (dtype != ir::DType::f32) {
    const core::FloatFormat format = core::float_format(dtype);
    off += std::max(ir::unit_roundoff(dtype) * (std::abs(value) + off), format.ulp(0) / 2);
  }
  return std::abs(got - value) <= off;
}

}  // namespace

bool is_plain(const element::terms::ElementSum& sum, double truth, double flushed) {
  if (!sum.off.empty() || !sum.inner.empty() || sum.moved != 0 || sum.is_rounded) return false;
  if (!(flushed > 0)) return true;  // nothing may vanish
  const auto may_vanish = [flushed](double x) { return x != 0 && std::abs(x) < flushed; };
  return !may_vanish(truth) && std::ranges::none_of(sum.terms, [&](const element::terms::Product& term) {
    return may_vanish(term.a) || may_vanish(term.b) || may_vanish(term.value());
  });
}

bool gives_the_very_bits(const element::terms::ElementSum& sum, double truth, double flushed) {
  return sum.scale == 1 && sum.divisor == 1 && sum.added.empty() && is_plain(sum, truth, flushed);
}

double stored_as(ir::DType dtype, double x) {
  const ir::Tensor one = ir::Tensor::of<float>({1}, {static_cast<float>(x)});
  return ir::convert(ir::convert(one, dtype), ir::DType::f64).as<double>()[0];
}

std::optional<bool> equals_replay(const element::terms::ElementSum& sum, const ir::Sum& published, ir::DType dtype,
                                  double got) {
  const std::size_t places = std::max(sum.terms.size(), sum.all_places);
  const auto count = static_cast<std::int64_t>(places);
  const bool is_f16 = published.accumulator == ir::DType::f16 && published.levels.size() == 1;  // levels join in f32
  if (sum.is_rounded || published.unit == ir::SumUnit::matrix) return std::nullopt;
  if (published.accumulator != ir::DType::f32 && !is_f16) return std::nullopt;
  if (!profile::is_replayable(published, count)) return std::nullopt;
  std::vector<float> a(places), b(places);
  for (std::size_t k = 0; k < sum.terms.size(); ++k) {
    const element::terms::Product& term = sum.terms[k];
    const std::size_t at = sum.places.empty() ? k : sum.places[k];
    a[at] = static_cast<float>(term.a);
    b[at] = static_cast<float>(term.b);
    if (static_cast<double>(a[at]) != term.a || static_cast<double>(b[at]) != term.b) return std::nullopt;
  }
  const auto gives = [&](ir::SumUnit unit) {
    profile::Products plain = profile::plain_products(unit == ir::SumUnit::fma);
    if (is_f16) {
      plain.accumulator = ir::DType::f16;
      plain.accumulator_bits = 11;
    }
    return agrees(sum, profile::ProductEmulator(plain, published.levels).dot(a, b), dtype, got);
  };
  if (published.unit != ir::SumUnit::either) return gives(published.unit);
  if (gives(ir::SumUnit::fma) || gives(ir::SumUnit::separate)) return true;
  if (count != 2) return false;
  // A compiler may leave the first or the second of two products unrounded.
  std::swap(a[0], a[1]);
  std::swap(b[0], b[1]);
  return gives(ir::SumUnit::fma);
}

std::optional<float> replayed(std::span<const float> a, std::span<const float> b, ir::Sum published, bool fused) {
  if (published.unit == ir::SumUnit::matrix || published.accumulator != ir::DType::f32) return std::nullopt;
  published.order = "contract";
  if (!profile::is_replayable(published, static_cast<std::int64_t>(a.size()))) return std::nullopt;
  const bool fuses = published.unit == ir::SumUnit::either ? fused : published.unit == ir::SumUnit::fma;
  return profile::ProductEmulator(profile::plain_products(fuses), published.levels).dot(a, b);
}

}  // namespace plumb::parity::settle
