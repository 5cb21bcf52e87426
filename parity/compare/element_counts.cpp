// The share of zeros in a tensor, whether all of its elements have the same bits, and how many differ from another's.
#include "parity/compare/element_counts.hpp"

#include <algorithm>

namespace plumb::parity::compare {

double share_of_zeros(const ir::TensorView& x) {
  if (x.elements() == 0) return 0;
  std::int64_t zeros = 0;
  ir::visit_any(x.dtype(), [&]<class T>(T) {
    for (const T value : x.as<T>()) {
      if constexpr (std::is_same_v<T, ir::f16> || std::is_same_v<T, ir::bf16>)
        zeros += (value.bits & 0x7FFF) == 0;
      else
        zeros += value == T{};
    }
  });
  return static_cast<double>(zeros) / static_cast<double>(x.elements());
}

bool is_constant(const ir::TensorView& x) {
  const std::size_t width = ir::info(x.dtype()).bytes;
  const auto bytes = x.bytes();
  // Each element is the one before it.
  return bytes.size() <= width || std::ranges::equal(bytes.subspan(width), bytes.first(bytes.size() - width));
}

std::uint64_t count_other_bits(const ir::TensorView& a, const ir::TensorView& b) {
  if (std::ranges::equal(a.bytes(), b.bytes())) return 0;
  const std::size_t width = ir::info(a.dtype()).bytes;
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < a.bytes().size(); at += width)
    count += !std::ranges::equal(a.bytes().subspan(at, width), b.bytes().subspan(at, width));
  return count;
}

}  // namespace plumb::parity::compare
