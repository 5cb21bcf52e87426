// Windows of one to three axes, in groups; padding of the output is less than a stride or a dilation.
#include "ir/ops/conv_transpose.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::ConvTranspose& op, Chooser& choose) {
  draw_convolution(op, choose);
  op.dilations.clear();
  op.output_padding.clear();
  for (const std::int64_t stride : op.strides)
    op.output_padding.push_back(static_cast<std::int64_t>(choose.below(static_cast<std::uint64_t>(stride))));
}

}  // namespace plumb::parity::studies::fuzz
