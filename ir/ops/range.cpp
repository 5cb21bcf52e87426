#include "ir/ops/range.hpp"

#include <cstring>

#include "ir/convert.hpp"

namespace plumb::ir::ops {

// Not in the header: what a compiler contracts may depend on who includes it.
Bytes Range::values() const {
  Bytes bytes(info(dtype).bytes * static_cast<std::size_t>(count));
  visit_number(dtype, [&]<class T>(T) {
    for (std::int64_t i = 0; i < count; ++i) {
      T value;
      if constexpr (std::is_integral_v<T>) {
        const auto first = static_cast<std::uint64_t>(static_cast<std::int64_t>(start));
        const auto step = static_cast<std::uint64_t>(static_cast<std::int64_t>(delta));
        value = static_cast<T>(first + static_cast<std::uint64_t>(i) * step);
      } else {
        value = convert_value<T>(start + static_cast<double>(i) * delta);
      }
      std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

}  // namespace plumb::ir::ops
