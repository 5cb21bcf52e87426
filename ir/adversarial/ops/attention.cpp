// Queries and keys make the scores, values are what is summed.
#include "ir/ops/attention.hpp"

#include <cmath>

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Attention& op, Types in, std::size_t operand, Use& use) {
  const auto n = op.extents(in[0].shape, in[1].shape, in[2].shape);
  const std::size_t keys_axis = op.layout == ops::AttentionLayout::bhsd ? 2 : 1;
  const std::size_t bias = op.has_bias ? 3 + std::size_t{op.has_mask} : in.size();
  use.axes = operand == 0 ? std::vector<std::size_t>{3} : std::vector<std::size_t>{keys_axis};
  use.terms = operand == 0 ? n.D : n.Sk;
  if (operand == 0) {
    use.role = Role::follows;
  } else if (operand == 1) {
    const double scale = op.scale.value_or(1 / std::sqrt(static_cast<double>(n.D)));
    use.role = Role::keys;
    use.share = scale == 0 ? 1 : 1 / (scale * static_cast<double>(n.D));
  } else if (operand == 2) {
    use.role = Role::values;
  } else if (operand == bias) {
    use.role = Role::scores;
    use.axes = {in[operand].shape.empty() ? 0 : in[operand].shape.size() - 1};
  } else if (operand + 1 == in.size() && op.has_kv_lengths) {
    use.role = Role::index;
    use.low = 0, use.high = n.Sk + 1;
  } else {
    use.role = Role::beside;
    use.axes = {in[operand].shape.empty() ? 0 : in[operand].shape.size() - 1};
  }
}

}  // namespace plumb::ir::adversarial
