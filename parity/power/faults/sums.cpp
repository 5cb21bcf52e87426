// Sums of products: terms that are missing, accumulators that are too narrow.

#include <bit>
#include <cmath>

#include "parity/core/float_format.hpp"
#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/slices.hpp"

namespace plumb::parity::power::faults {
namespace {

std::optional<Numbers> dropped(const Site& site, std::int64_t terms) {
  const auto summed = summed_axis(site);
  if (!summed) return {};
  const std::int64_t extent = site.operands[summed->operand].now.shape()[summed->axis];
  return site.carried(truth_without(site, *summed, std::max<std::int64_t>(extent - terms, 0), extent));
}

std::optional<Numbers> dropped_term(const Site& site) { return dropped(site, 1); }
std::optional<Numbers> dropped_tile(const Site& site) { return dropped(site, 16); }

/// The sum built up block by block of the summed axis, at most 16 of at least 16 terms each, and
/// rounded by `round` after every block.
template <class Round>
std::optional<Numbers> accumulated(const Site& site, ir::DTypes dtypes, Round round) {
  const auto summed = summed_axis(site);
  if (!summed || !summed->is_linear || !dtypes.contains(site.type.dtype)) return {};
  const std::int64_t extent = site.operands[summed->operand].now.shape()[summed->axis];
  const std::int64_t block = std::max<std::int64_t>(16, (extent + 15) / 16);
  if (extent <= block) return {};                                    // one block is rounded as the output is
  const Numbers& nothing = truth_without(site, *summed, 0, extent);  // a bias, say
  Numbers sum(nothing.size(), 0);
  for (std::int64_t first = 0; first < extent; first += block) {
    const Numbers& rest = truth_without(site, *summed, first, std::min(first + block, extent));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = round(sum[i] + (site.truth[i] - rest[i]));
  }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += nothing[i];
  return sum;
}

std::optional<Numbers> f16_accumulation(const Site& site) {
  return accumulated(site, ir::DType::f32 | ir::DType::f16, [](double x) { return static_cast<double>(ir::f16(x)); });
}

std::optional<Numbers> truncated_accumulation(const Site& site) {
  return accumulated(site, ir::DType::f32 | ir::DType::f16 | ir::DType::bf16, core::truncated_to_f32);
}

constexpr auto summing = "sums of terms, of products, windows, transforms and states, too";

constexpr Fault of_sums[] = {
    {"dropped_term", "the last term of every sum is missing", summing, true, dropped_term},
    {"dropped_tile", "the last 16 terms of every sum are missing", summing, true, dropped_tile},
    {"f16_accumulation", "sums are rounded to f16 after every block", "those that follow their terms, f32 and f16",
     true, f16_accumulation},
    {"truncated_accumulation", "sums are cut off to f32 after every block",
     "those that follow their terms, f32, f16, bf16", false, truncated_accumulation},
};

}  // namespace

std::span<const Fault> faults_of_sums() { return of_sums; }

}  // namespace plumb::parity::power::faults
