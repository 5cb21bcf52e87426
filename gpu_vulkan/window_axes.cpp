#include "gpu_vulkan/window_axes.hpp"

namespace plumb::gpu_vulkan {

WindowAxes window_axes(const std::vector<ir::Window>& axes, const ir::Shape& y, const Lowering& node) {
  WindowAxes made;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const ir::Window& axis = axes[i];
    node.needs(axis.padded() < std::int64_t{1} << 31, "the padded image has ", axis.padded(),
               " positions on spatial axis ", i, ", shaders count to 2^31");
    const std::size_t at = 3 - axes.size() + i;
    made.extent[at] = word(axis.extent), made.positions[at] = word(y[y.size() - axes.size() + i]);
    made.kernel[at] = word(axis.kernel), made.stride[at] = word(axis.stride);
    made.dilation[at] = word(axis.dilation), made.pad[at] = word(axis.pad_begin);
  }
  return made;
}

}  // namespace plumb::gpu_vulkan
