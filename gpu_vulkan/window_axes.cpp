#include "gpu_vulkan/window_axes.hpp"

namespace plumb::gpu_vulkan {

WindowAxes window_axes(const std::vector<ir::Window>& axes, const ir::Shape& y, const Lowering& node) {
  const auto u32 = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
  WindowAxes made;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const ir::Window& axis = axes[i];
    node.needs(axis.padded() < std::int64_t{1} << 31, "the padded image has ", axis.padded(),
               " positions on spatial axis ", i, ", shaders count to 2^31");
    const std::size_t at = 3 - axes.size() + i;
    made.extent[at] = u32(axis.extent), made.positions[at] = u32(y[y.size() - axes.size() + i]);
    made.kernel[at] = u32(axis.kernel), made.stride[at] = u32(axis.stride);
    made.dilation[at] = u32(axis.dilation), made.pad[at] = u32(axis.pad_begin);
  }
  return made;
}

}  // namespace plumb::gpu_vulkan
