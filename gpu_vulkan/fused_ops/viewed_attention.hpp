#pragma once

#include <algorithm>

#include "ir/ops/attention.hpp"

namespace plumb::gpu_vulkan::fused_ops {

/// Attention that reads q, k and v where they lie in larger tensors, such as the one product of a layer that makes all
/// three, or whose bias is only added, as in products and a softmax. Passes make it: no graph file has it. `layout` is
/// that of y.
struct ViewedAttention : ir::ops::Attention {
  std::vector<std::int64_t> sizes;                 ///< B, Hq, Hk, Sq, Sk, D, Dv
  std::vector<std::int64_t> offsets, heads, rows;  ///< by q, k and v, in elements
  bool bias_masks = true;                          ///< false: a bias of -inf is a score, and a row of them gives NaN

  static constexpr auto name = "viewed_attention";
  static constexpr auto summary = "attention by parts of tensors";
  static constexpr auto formula =
      "attention of q, k and v, element d of row s of head h of batch b of which lies at "
      "offset + b·batch + h·head + s·row + d, batch being what heads or rows take up";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {ir::Input{"q", ir::dtypes::R, "[..]"},
                                        ir::Input{"k", ir::dtypes::R, "[..]"},
                                        ir::Input{"v", ir::dtypes::R, "[..]", "k"},
                                        Attention::inputs[3],
                                        Attention::inputs[4],
                                        Attention::inputs[5],
                                        Attention::inputs[6]};
  static constexpr std::array<std::string_view, 9> checks = {
      Attention::checks[0], Attention::checks[1], Attention::checks[2],
      Attention::checks[3], Attention::checks[4], Attention::checks[5],
      Attention::checks[6], Attention::checks[7], "sizes must be seven, the others three each, all inside the inputs"};
  static constexpr auto fields = std::tuple_cat(
      Attention::fields, std::tuple{
                             ir::Field{"sizes", &ViewedAttention::sizes, "B, Hq, Hk, Sq, Sk, D, Dv"},
                             ir::Field{"offsets", &ViewedAttention::offsets, "of the first element of q, k, v"},
                             ir::Field{"heads", &ViewedAttention::heads, "from one head of q, k, v to the next"},
                             ir::Field{"rows", &ViewedAttention::rows, "from one row of q, k, v to the next"},
                             ir::Field{"bias_masks", &ViewedAttention::bias_masks, "a bias of -inf masks its key"},
                         });

  /// Attention of operands of these shapes; where they lie is still to be said.
  static ViewedAttention of(const Attention& attention, const ir::Shape& q, const ir::Shape& k, const ir::Shape& v) {
    ViewedAttention op;
    static_cast<Attention&>(op) = attention;
    const auto [B, Hq, Hk, Sq, Sk, D, Dv] = attention.extents(q, k, v);
    op.sizes = {B, Hq, Hk, Sq, Sk, D, Dv};
    op.offsets = op.heads = op.rows = {0, 0, 0};
    return op;
  }

  /// Attention of whole tensors [B, H, S, D] whose bias is only added.
  static ViewedAttention unmasked(const Attention& attention, const ir::Shape& q, const ir::Shape& k,
                                  const ir::Shape& v) {
    ViewedAttention op = of(attention, q, k, v);
    const Extents n = op.extents();
    op.heads = {n.Sq * n.D, n.Sk * n.D, n.Sk * n.Dv};
    op.rows = {n.D, n.D, n.Dv};
    op.bias_masks = false;
    return op;
  }

  Extents extents() const { return {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6]}; }

  ir::TensorTypes infer(ir::Types in) const {
    ir::check(*this, 9, sizes.size() == 7 && offsets.size() == 3 && heads.size() == 3 && rows.size() == 3, sizes.size(),
              " sizes, ", offsets.size(), " offsets, ", heads.size(), " heads, ", rows.size(), " rows");
    const Extents n = extents();
    ir::TensorTypes dense(in.begin(), in.end());
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t of_heads = i == 0 ? n.Hq : n.Hk, length = i == 0 ? n.Sq : n.Sk, width = i == 2 ? n.Dv : n.D;
      dense[i].shape = layout == ir::ops::AttentionLayout::bhsd ? ir::Shape{n.B, of_heads, length, width}
                                                                : ir::Shape{n.B, length, of_heads, width};
      const std::int64_t batch = std::max(of_heads * heads[i], length * rows[i]);
      const std::int64_t end =
          offsets[i] + (n.B - 1) * batch + (of_heads - 1) * heads[i] + (length - 1) * rows[i] + width;
      ir::check(*this, 9, std::min({offsets[i], heads[i], rows[i]}) >= 0 && end <= in[i].shape.elements(),
                inputs[i].name, " is ", in[i], ", offset is ", offsets[i], ", heads are ", heads[i], ", rows are ",
                rows[i]);
    }
    return Attention::infer(dense);
  }
  bool operator==(const ViewedAttention&) const = default;
};

}  // namespace plumb::gpu_vulkan::fused_ops
