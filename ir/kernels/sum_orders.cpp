// Orders of a sum's terms that have a number in them, as text and back.
#include "ir/kernels/sum_orders.hpp"

#include <charconv>

#include "ir/error.hpp"

namespace plumb::ir::kernels {
namespace {

constexpr std::string_view taps_before = "taps_first:", runs_before = "runs_of:";

/// The positive number that a text is; nothing of another text.
std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number <= 0) return std::nullopt;
  return number;
}

}  // namespace

std::string taps_first(std::int64_t channels) { return cat(taps_before, channels); }

std::optional<std::int64_t> channels_of_taps_first(std::string_view order) {
  return order.starts_with(taps_before) ? number_of(order.substr(taps_before.size())) : std::nullopt;
}

std::string runs_of(std::int64_t neighbours, std::int64_t runs) { return cat(runs_before, neighbours, 'x', runs); }

std::optional<Runs> runs_of_order(std::string_view order) {
  if (!order.starts_with(runs_before)) return std::nullopt;
  order.remove_prefix(runs_before.size());
  const std::size_t cross = order.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto neighbours = number_of(order.substr(0, cross)), runs = number_of(order.substr(cross + 1));
  if (!neighbours || !runs || (*runs > 1 && Runs::apart % *neighbours != 0)) return std::nullopt;
  return Runs{*neighbours, *runs};
}

}  // namespace plumb::ir::kernels
