// Error model of the scale that a quantiser finds: a difference and a division are rounded, and both ends of the range
// may be off. Codes are choices.
#include "ir/ops/dynamic_quantize_linear.hpp"

#include "ir/ops/reduce.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {

Model error_model(const ir::ops::DynamicQuantizeLinear&) {
  return {
      .ulps = 3, .carried = [](const Node& node, const Errors& errors) {
        std::vector<std::int64_t> axes;
        for (std::int64_t a = 0; a < node.in[0].shape().rank(); ++a) axes.push_back(a);
        return 2 * node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, axes, false}, {*errors[0]}) / 255;
      }};
}

}  // namespace plumb::parity::bounds
