#pragma once

#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// How updates that fall on one element are joined with what was there.
enum class Joining { none, add, multiply, maximum, minimum };

/// An element of a table after these updates fell on it, in this order.
Number joined(Joining how, ir::DType dtype, Number before, std::span<const Number> updates);

/// The wire's name of a reduction of a scatter op, by its place in the list of names.
template <class Reduction>
Joining joining_of(Reduction reduction) {
  const std::string_view name = enum_names(Reduction{})[static_cast<std::size_t>(reduction)];
  if (name == "add") return Joining::add;
  if (name == "multiply") return Joining::multiply;
  if (name == "maximum") return Joining::maximum;
  return name == "minimum" ? Joining::minimum : Joining::none;
}

}  // namespace plumb::parity::element
