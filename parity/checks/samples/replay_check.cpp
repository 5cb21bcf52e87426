// Holds a kernel to its own account of how it adds, on a sample of what it gave.
#include "parity/checks/samples/replay_check.hpp"

#include <algorithm>
#include <cmath>

#include "parity/core/parallel.hpp"
#include "parity/settle/replay.hpp"
#include "parity/settle/summing.hpp"

namespace plumb::parity::checks::samples {
namespace {

constexpr std::int64_t fewest_replays = 8, most_replays = 64, elements_a_replay = 64;  // verdict.md V40
constexpr std::size_t most_replayed_terms = std::size_t{1} << 22;

/// Adds these elements again.
cases::ReplaySample replayed_at(const settle::Subject& subject, const settle::Summing& bare,
                                const std::vector<std::size_t>& places, const ir::Tensor& truth,
                                const ir::TensorView& got) {
  const ir::DType dtype = got.dtype();
  const std::span<const double> expected = truth.as<double>();
  const std::vector<double> came = numbers_at(got, places);
  std::vector<std::optional<bool>> equal(places.size());
  core::for_each_piece(places.size(), core::workers_for(places.size()), [&](std::size_t n, std::size_t) {
    const std::size_t i = places[n];
    if (!std::isfinite(expected[i]) || !std::isfinite(came[n])) return;
    const element::terms::ElementSum sum = bare.at(i);
    if (!settle::gives_the_very_bits(sum, expected[i], bare.arithmetic.flushed)) return;
    equal[n] = settle::equals_replay(sum, subject.sums[0], dtype, came[n]);
  });
  cases::ReplaySample found;
  for (const std::optional<bool>& one : equal) {
    found.asked += one.has_value();
    found.equal += one.value_or(false);
  }
  return found;
}

/// The sums that can be replayed; nothing where none can.
std::shared_ptr<const settle::Summing> sums_to_replay(const settle::Subject& subject, std::size_t k,
                                                      const ir::Tensor& truth, ir::DType dtype) {
  const bool may_be = subject.sums.size() == 1 && ir::is_float(dtype) && truth.dtype() == ir::DType::f64;
  return may_be ? settle::find_bare_sum(subject, k) : nullptr;
}

}  // namespace

cases::ReplaySample replay_sample(const settle::Subject& subject, std::size_t k, const ir::Tensor& truth,
                                  const ir::TensorView& got, Draws draws) {
  const auto bare = sums_to_replay(subject, k, truth, got.dtype());
  if (!bare) return {};
  const std::int64_t count = std::clamp(truth.elements() / elements_a_replay, fewest_replays, most_replays);
  const std::vector<std::size_t> places =
      draws.some(static_cast<std::size_t>(count), static_cast<std::size_t>(truth.elements()));
  return replayed_at(subject, *bare, places, truth, got);
}

bool replays_tell(const settle::Subject& subject, std::size_t k, const ir::Tensor& truth, const ir::TensorView& got,
                  Draws draws) {
  const auto bare = sums_to_replay(subject, k, truth, got.dtype());
  if (!bare || truth.elements() == 0) return false;
  const auto all = static_cast<std::size_t>(truth.elements());
  // A running sum has its most terms at one end of its line.
  const std::size_t terms = std::max({std::size_t{1}, bare->at(0).terms.size(), bare->at(all - 1).terms.size()});
  const std::vector<std::size_t> places =
      draws.some(std::max<std::size_t>(most_replays, most_replayed_terms / terms), all);
  const std::vector<double> came = numbers_at(got, places);
  if (std::ranges::all_of(came, [](double x) { return x == 0; })) return false;
  const cases::ReplaySample found = replayed_at(subject, *bare, places, truth, got);
  return found.asked == places.size() && found.equal == found.asked;
}

}  // namespace plumb::parity::checks::samples
