#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::parity::cases {

/// Elements of a result that were added up again as their kernel says that it adds (verdict.md V22).
struct ReplaySample {
  std::uint32_t asked = 0, equal = 0;  ///< elements that can be replayed; those that have the very bits

  /// Whether the kernel does not add as it says.
  bool refutes() const { return equal < asked; }
  /// The message on a kernel that does not.
  std::string said(std::string_view node, std::string_view kernel) const;
};

}  // namespace plumb::parity::cases
