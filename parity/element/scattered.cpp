// An element after the updates that fall on it.
#include "parity/element/scattered.hpp"

#include <algorithm>

namespace plumb::parity::element {
namespace {

Number joined_integers(Joining how, ir::DType dtype, std::int64_t y, std::span<const Number> updates) {
  for (const Number& update : updates) {
    const std::int64_t x = whole(update);
    const auto a = static_cast<std::uint64_t>(y), b = static_cast<std::uint64_t>(x);
    if (how == Joining::maximum)
      y = std::max(y, x);
    else if (how == Joining::minimum)
      y = std::min(y, x);
    else
      y = static_cast<std::int64_t>(how == Joining::add ? a + b : a * b);
  }
  return wrap(dtype, static_cast<std::uint64_t>(y));
}

}  // namespace

Number joined(Joining how, ir::DType dtype, Number before, std::span<const Number> updates) {
  if (updates.empty()) return before;
  if (how == Joining::none) return updates.back();
  if (!ir::is_float(dtype)) return joined_integers(how, dtype, whole(before), updates);
  Real extreme = before.re;
  Sum sum;
  Product product;
  sum.add(before.re);
  if (how == Joining::multiply) product.take(before.re);
  for (const Number& update : updates) {
    if (how == Joining::add) sum.add(update.re);
    if (how == Joining::multiply) product.take(update.re);
    extreme = how == Joining::maximum ? maximum(extreme, update.re) : minimum(extreme, update.re);
  }
  if (how == Joining::add) return sum.total();
  return how == Joining::multiply ? product.total() : extreme;
}

}  // namespace plumb::parity::element
