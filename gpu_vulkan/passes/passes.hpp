#pragma once

#include "gpu_vulkan/passes/pattern.hpp"

namespace plumb::gpu_vulkan::passes {

// Passes: graphs in, graphs out that compute the same with fewer nodes. They make only
// nodes that the device runs natively, and drop only values that nothing else reads and
// that are not wanted; value v of the result is value v of the original.

/// Registered ops by their authors' shaders, or as the nodes of their bodies: the first pass, which nobody turns off.
ir::Graph write_out(const ir::Graph& graph, const region::RegionSetting& setting);

/// Params and constants cast to a narrower float: constants of that dtype, rounded once for all runs.
ir::Graph fold_casts(const ir::Graph& graph, const PassSetting& setting);

/// conv, then batch_norm: the norm goes into weights and bias, where they are known.
ir::Graph fold_batch_norms(const ir::Graph& graph, const PassSetting& setting);

/// Mean, difference, mean square, root and quotient, with or without scale and bias: layer_norm.
ir::Graph fuse_layer_norms(const ir::Graph& graph, const PassSetting& setting);

/// ½x(1 + erf(x/√2)): gelu; ½x(1 + tanh(√(2/π)(x + 0.044715x³))): gelu_tanh.
ir::Graph fuse_gelus(const ir::Graph& graph, const PassSetting& setting);

/// softmax(scale·q·kᵀ + bias)·v: attention. Its bias of -inf is a score and masks nothing: a query that
/// has it for every key gets NaN, as from the softmax, where attention itself (ops.md 8) has 0.
ir::Graph fuse_attentions(const ir::Graph& graph, const PassSetting& setting);

/// Transposes around attention: its other layout; of an operand of matmul: its flag.
ir::Graph sink_transposes(const ir::Graph& graph, const PassSetting& setting);

/// attention that reads q, k and v where they lie in what they are split off, sliced or transposed from: one product
/// for all three is not taken apart. It writes y with heads behind positions where that is wanted next.
ir::Graph view_heads(const ir::Graph& graph, const PassSetting& setting);

/// matmul by one matrix, then add of a row: gemm.
ir::Graph fuse_biases(const ir::Graph& graph, const PassSetting& setting);

/// conv, then add of a tensor as large, then relu or a clamp by numbers: one convolution.
ir::Graph fuse_conv_epilogues(const ir::Graph& graph, const PassSetting& setting);

/// add of two tensors of one type, then layer_norm: a norm that adds as it reads.
ir::Graph fuse_residuals(const ir::Graph& graph, const PassSetting& setting);

/// Unary, binary, compare, where and cast, one after the other on one shape: region, a kernel that is generated. Where
/// all that survives is wanted it keeps every value, so that each can still be looked at.
ir::Graph fuse_regions(const ir::Graph& graph, const PassSetting& setting);

}  // namespace plumb::gpu_vulkan::passes
