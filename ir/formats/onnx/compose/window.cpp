#include "ir/formats/onnx/compose/window.hpp"

#include <algorithm>

namespace plumb::ir::from_onnx {
namespace {

/// A bound of extents, strides, dilations and pads: products of two do not overflow.
constexpr std::int64_t most = std::int64_t{1} << 31;

/// An attribute with one number for each spatial axis; `otherwise` where it is left out.
std::vector<std::int64_t> per_axis(const NodeReader& node, std::string_view name, std::size_t count,
                                   std::int64_t otherwise) {
  const auto values = node.ints(name).value_or(std::vector<std::int64_t>(count, otherwise));
  require(values.size() == count, "attribute '", name, "' has ", values.size(), " entries, wanted ", count);
  for (const auto value : values) require(-most < value && value < most, "attribute '", name, "' has entry ", value);
  return values;
}

Window read_all(const NodeReader& node, const Shape& x, std::vector<std::int64_t> kernel) {
  require(x.rank() >= 3, "x must have spatial axes, got ", x);
  const auto axes = x.size() - 2;
  require(kernel.size() == axes, "the kernel has ", kernel.size(), " axes, x is ", x);
  Window window{std::move(kernel), per_axis(node, "strides", axes, 1), per_axis(node, "dilations", axes, 1),
                per_axis(node, "pads", 2 * axes, 0)};
  for (std::size_t k = 0; k < axes; ++k) require(x[k + 2] < most, "x is ", x, ", too large to slide over");
  for (std::size_t k = 0; k < axes; ++k)
    require(0 < window.kernel[k] && window.kernel[k] < 1ll << 20 && window.strides[k] > 0 && window.dilations[k] > 0,
            "kernel, strides and dilations must be at least 1");
  return window;
}

/// Puts `total` pads on axis k, of an odd number one more at the end or at the beginning.
void spread(Window& window, std::size_t k, std::int64_t total, bool more_at_end) {
  const auto smaller = total / 2, larger = total - smaller;
  window.pads[k] = more_at_end ? smaller : larger;
  window.pads[k + window.kernel.size()] = more_at_end ? larger : smaller;
}

}  // namespace

Window read_window(const NodeReader& node, const Shape& x, std::vector<std::int64_t> kernel) {
  Window window = read_all(node, x, std::move(kernel));
  const auto mode = node.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) return window;
  const bool upper = mode == "SAME_UPPER";
  require(upper || mode == "SAME_LOWER" || mode == "VALID", "auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  std::ranges::fill(window.pads, 0);
  if (mode == "VALID") return window;
  for (std::size_t k = 0; k < window.kernel.size(); ++k) {
    const auto in = x[k + 2], out = (in + window.strides[k] - 1) / window.strides[k];
    spread(window, k, std::max<std::int64_t>(0, (out - 1) * window.strides[k] + window.reach(k) - in), upper);
  }
  return window;
}

Window read_transposed_window(const NodeReader& node, const Shape& x, std::vector<std::int64_t> kernel,
                              std::vector<std::int64_t>& output_padding) {
  Window window = read_all(node, x, std::move(kernel));
  const auto axes = window.kernel.size();
  output_padding = per_axis(node, "output_padding", axes, 0);
  const auto mode = node.text("auto_pad", "NOTSET");
  const bool is_same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (mode == "VALID") std::ranges::fill(window.pads, 0);
  auto wanted = node.ints("output_shape");
  if (!wanted && !is_same) return window;
  if (!wanted) {
    wanted.emplace();
    for (std::size_t k = 0; k < axes; ++k) wanted->push_back(x[k + 2] * window.strides[k]);
  }
  if (wanted->size() == axes + 2) wanted->erase(wanted->begin(), wanted->begin() + 2);  // with N and C
  require(wanted->size() == axes, "output_shape has ", wanted->size(), " entries, wanted ", axes);
  for (std::size_t k = 0; k < axes; ++k) {
    require(0 <= (*wanted)[k] && (*wanted)[k] < most * most, "output_shape is ", Shape(*wanted));
    const auto total = (x[k + 2] - 1) * window.strides[k] + output_padding[k] + window.reach(k) - (*wanted)[k];
    spread(window, k, std::max<std::int64_t>(0, total), mode == "SAME_UPPER");
    if (total < 0) output_padding[k] -= total;
  }
  return window;
}

}  // namespace plumb::ir::from_onnx
