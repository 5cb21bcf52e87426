#pragma once

// A part of a tensor, as NumPy's indices have it: 'layer0/q[0,:,3:7]'.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor.hpp"

namespace plumb::parity::cli {

/// The part of one axis: [begin, end), or the element at begin, whose axis goes. Negative numbers count from the end.
struct AxisSlice {
  std::optional<std::int64_t> begin = {}, end = {};
  bool is_index = false;
};

struct Slice {
  std::string name;  ///< that of the value: "layer0/q", "split:1"
  std::string text;  ///< the part in brackets, as it was given
  std::vector<AxisSlice> axes = {};
};

/// Reads NAME[...], in which ':', '3:', ':7' and '3:7' are ranges and '0' an index. Throws Error for anything else.
Slice parse_slice(std::string_view given);

/// That part of a tensor; axes behind the last that the slice names are whole. Throws Error, which names the axis,
/// where the slice has more axes than the tensor, or a part that the tensor has not.
ir::Tensor sliced(const ir::TensorView& x, const Slice& slice);

}  // namespace plumb::parity::cli
