// Windows of convolutions and pooling as push constants of three spatial axes, within what shaders can count.
#include "gpu_vulkan/kernels/conv/window_axes.hpp"

namespace plumb::gpu_vulkan::kernels::conv {

WindowAxes window_axes(const std::vector<ir::kernels::Window>& axes, const ir::Shape& y, const plan::Lowering& node) {
  WindowAxes made;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const ir::kernels::Window& axis = axes[i];
    node.needs(axis.padded() < std::int64_t{1} << 31, "the padded image has ", axis.padded(),
               " positions on spatial axis ", i, ", shaders count to 2^31");
    const std::size_t at = 3 - axes.size() + i;
    made.extent[at] = plan::word(axis.extent);
    made.positions[at] = plan::word(y[y.size() - axes.size() + i]);
    made.kernel[at] = plan::word(axis.kernel);
    made.stride[at] = plan::word(axis.stride);
    made.dilation[at] = plan::word(axis.dilation);
    made.pad[at] = plan::word(axis.pad_begin);
  }
  return made;
}

}  // namespace plumb::gpu_vulkan::kernels::conv
