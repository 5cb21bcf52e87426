// The stages of attention that the op keeps to itself, by ops that show them.
#pragma once

#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {

/// The operands of an Attention with heads in front, keys and values those of earlier steps included:
/// q [B, Hq, Sq, D], k [B, Hk, Sk, D], v [B, Hk, Sk, Dv].
struct AttentionParts {
  Ref q = 0, k = 0, v = 0;
  std::optional<Ref> mask = {};     ///< bool, broadcasts to [B, Hq, Sq, Sk]: false is hidden
  std::optional<Ref> bias = {};     ///< broadcasts to [B, Hq, Sq, Sk], added to the scores
  std::optional<Ref> lengths = {};  ///< i64 [B], keys in use
  std::optional<double> scale = {};
  double softcap = 0;
  bool causal = false;
  std::int64_t left = -1, right = -1;  ///< keys before and behind its own that a query sees; -1: all
  std::int64_t past = 0;               ///< keys of earlier steps

  /// Whether it counts where a query stands.
  bool has_positions() const { return causal || left >= 0 || right >= 0; }
};

/// The stages of scores, from products of queries and keys to weights, [B, Hq, Sq, Sk].
struct Scores {
  Ref products = 0, capped = 0, biased = 0;  ///< scaled; behind softcap; with the bias, and −inf for hidden keys
  std::optional<Ref> sees_any = {};          ///< bool, broadcasts to [B, Hq, Sq, 1]; without it every query sees a key
  DType precision = DType::f32;              ///< the dtype in which the softmax is taken

  /// Softmax of `biased`, and 0 for a query that sees no key.
  Ref weights(NodeReader& node) const;
  /// By ONNX's numbers: 0 `products`, 1 `capped`, 2 `biased`, 3 the weights.
  Ref stage(NodeReader& node, std::int64_t mode) const;
};

Scores scores_of(NodeReader& node, const AttentionParts& parts, DType precision);

/// Sums of values [B, Hk, Sk, Dv] by weights [B, Hq, Sq, Sk].
Ref weighted_values(NodeReader& node, const AttentionParts& parts, Ref weights);

}  // namespace plumb::ir::from_onnx
