// Inputs on which a function has to give something else.
#include "ir/other_values.hpp"

#include <cstring>

namespace plumb::ir {

void make_other(Tensor& x) {
  const Tensor from = x;
  const std::size_t width = info(x.dtype()).bytes, count = x.bytes().size() / width;
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(x.bytes().data() + i * width, from.bytes().data() + (count - 1 - i / 2) * width, width);
  if (!is_float(x.dtype()) && !is_complex(x.dtype())) return;
  const std::size_t part = is_complex(x.dtype()) ? width / 2 : width;
  for (std::size_t at = part - 1; at < x.bytes().size(); at += part) x.bytes()[at] ^= std::byte{0x80};  // the sign
}

}  // namespace plumb::ir
