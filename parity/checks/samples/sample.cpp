// Draws of elements by Philox, and samples of those that are large next to their limit, so that they tell something.
#include "parity/checks/samples/sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "ir/fill.hpp"
#include "ir/raw/philox.hpp"
#include "parity/compare/scan.hpp"

namespace plumb::parity::checks::samples {
namespace {

constexpr double precise_times = 100;          // verdict.md V40
constexpr std::uint32_t purpose = 0x53414D50;  // apart from the fills of tensors of the same name

}  // namespace

Draws::Draws(std::uint64_t seed, std::string_view node) : seed_(seed), stream_(ir::stream_of(node)) {}

std::size_t Draws::below(std::size_t count) {
  const ir::raw::PhiloxWords words = ir::raw::philox_block(seed_, stream_, purpose, block_++);
  const std::uint64_t drawn = std::uint64_t{words[0]} << 32 | words[1];
  return static_cast<std::size_t>(drawn % count);
}

std::vector<std::size_t> Draws::some(std::size_t count, std::size_t all) {
  if (count >= all) {
    std::vector<std::size_t> every(all);
    std::iota(every.begin(), every.end(), std::size_t{0});
    return every;
  }
  std::set<std::size_t> drawn;
  while (drawn.size() < count) drawn.insert(below(all));
  return {drawn.begin(), drawn.end()};
}

std::vector<std::size_t> telling_sample(std::span<const double> truth, const compare::Allowed& allowed, ir::DType dtype,
                                        std::size_t count, Draws& draws) {
  const compare::Limit limit(allowed, dtype);
  const bool has_limit = allowed.rule == compare::Allowed::Rule::within;
  const auto tells = [&](std::size_t i) {
    const double size = std::abs(truth[i]);
    if (!std::isfinite(size) || limit.is_apart(i)) return false;
    return has_limit ? size > precise_times * limit.at(size, i) : size > 0;
  };
  std::set<std::size_t> found;
  for (std::size_t tries = 0; tries < 8 * count && found.size() < count && !truth.empty(); ++tries)
    if (const std::size_t i = draws.below(truth.size()); tells(i)) found.insert(i);
  const std::size_t from = truth.empty() ? 0 : draws.below(truth.size());  // where few do, all are looked for
  for (std::size_t n = 0; n < truth.size() && found.size() < count; ++n)
    if (const std::size_t i = (from + n) % truth.size(); tells(i)) found.insert(i);
  return {found.begin(), found.end()};
}

std::vector<double> numbers_at(const ir::TensorView& x, std::span<const std::size_t> places) {
  const std::size_t width = ir::info(x.dtype()).bytes;
  ir::Tensor some({x.dtype(), {static_cast<std::int64_t>(places.size())}});
  for (std::size_t n = 0; n < places.size(); ++n)
    std::ranges::copy(x.bytes().subspan(places[n] * width, width), some.bytes().subspan(n * width).begin());
  const ir::Tensor wide = ir::convert(some, ir::DType::f64);
  return {wide.as<double>().begin(), wide.as<double>().end()};
}

std::vector<double> rounded_to(ir::DType dtype, std::span<const double> numbers) {
  ir::Tensor wide({ir::DType::f64, {static_cast<std::int64_t>(numbers.size())}});
  std::ranges::copy(numbers, wide.as<double>().begin());
  const ir::Tensor back = ir::convert(ir::convert(wide, dtype), ir::DType::f64);
  return {back.as<double>().begin(), back.as<double>().end()};
}

double rounded_to(ir::DType dtype, double number) {
  if (dtype == ir::DType::f64) return number;
  if (dtype == ir::DType::f32) return static_cast<float>(number);
  return rounded_to(dtype, std::span(&number, 1)).front();
}

}  // namespace plumb::parity::checks::samples
