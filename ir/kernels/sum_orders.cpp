// Orders of a sum's terms that have a number in them, as text and back.
#include "ir/kernels/sum_orders.hpp"

#include <charconv>

#include "ir/error.hpp"

namespace plumb::ir::kernels {
namespace {

constexpr std::string_view taps_before = "taps_first:";

}  // namespace

std::string taps_first(std::int64_t channels) { return cat(taps_before, channels); }

std::optional<std::int64_t> channels_of_taps_first(std::string_view order) {
  if (!order.starts_with(taps_before)) return std::nullopt;
  order.remove_prefix(taps_before.size());
  std::int64_t channels = 0;
  const auto [end, error] = std::from_chars(order.data(), order.data() + order.size(), channels);
  if (error != std::errc{} || end != order.data() + order.size() || channels <= 0) return std::nullopt;
  return channels;
}

}  // namespace plumb::ir::kernels
