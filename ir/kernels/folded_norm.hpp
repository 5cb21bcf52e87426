#pragma once

#include <optional>
#include <span>

#include "ir/tensor.hpp"

namespace plumb::ir::kernels {

/// A norm by known statistics behind a convolution, as part of its filters and its bias, in f64.
struct FoldedNorm {
  Tensor filters, bias;
};

/// Filters are [M, ...]; `channels` are scale, bias, mean and variance of the norm and, where it has one, the bias of
/// the convolution, [M] each; all in f64. Nothing where a channel has a factor or a bias that is not finite, or where
/// there are no filters.
std::optional<FoldedNorm> folded_norm(Tensor filters, std::span<const Tensor> channels, double epsilon);

}  // namespace plumb::ir::kernels
