#pragma once

#include "gpu_vulkan/kernels/attention/attention.hpp"

// Declarations of all attention kernels. Each kernel has a file: it refuses a node, saying why, or dispatches it.
namespace plumb::gpu_vulkan::kernels::attention {

/// Query i attends to the keys j with lowest <= j - i <= highest, where i is shifted first for a node without
/// query_offset. All other keys are masked.
struct KeyWindow {
  std::int32_t lowest, highest;
};

/// The push constants of attention.glsl.
struct AttentionBlock {
  std::uint32_t tasks, Hq, gqa_group, Sq, Sk;
  HeadStrides q, k, v, y;
  std::array<std::uint32_t, 4> mask_strides, bias_strides;
  std::uint32_t scale, softcap;  ///< the bits of floats or, in f64, the high words of doubles
  KeyWindow window;
  std::uint32_t bottom_right, splits;
  std::array<std::uint32_t, 3> begins;  ///< by q, k and v
  std::array<std::uint32_t, 2> low;     ///< the low words of scale and softcap in f64
};

/// A node of attention as the kernels read it.
struct AttentionProblem {
  const ir::ops::Attention& op;
  Extents n;
  ir::DType dtype;       ///< that q and y have
  ir::DType keys_dtype;  ///< that k and v have
  AttentionBlock block;
  std::vector<plan::Slot> reads;   ///< a slot for every operand of the shaders; q stands for those that are absent
  plan::Slot sinks = {};           ///< likewise; attention_combine.comp reads it, and shaders of one dispatch do
  std::uint32_t length_words = 0;  ///< words of each of kv_lengths; 0 where there are none
  bool bias_masks = true;          ///< a bias of -inf masks its key
  bool may_mask = false;           ///< the op may mask keys that are in use

  /// The last specialization constants of every shader: which operands the scores depend on.
  plan::Constants score_constants() const;
  /// Whether keys are bf16, for the shaders of keys that have fewer digits than queries; nothing for the others.
  plan::Constants key_constants() const;
  /// "f32" by the dtype of q, "f32_narrow" where keys have fewer digits than queries.
  std::string variant() const;
};

/// A workgroup's queries and the keys of a block, or how its invocations are laid out over them.
struct RowsAndKeys {
  std::uint32_t rows, keys;
};

/// Dispatches a kernel whose workgroups have this many queries of a head each; it reads the sinks as well.
void dispatch(const AttentionProblem& problem, std::uint32_t rows, plan::Shader shader, plan::Lowering& node);

/// Few queries and many keys: the keys are split between workgroups, and a second dispatch combines what these found.
plan::Attempt attempt_split_kv(const AttentionProblem& problem, plan::Lowering& node);

/// f16 and bf16 by VK_NV_cooperative_matrix2: weights stay in registers between the two products.
plan::Attempt attempt_coopmat2(const AttentionProblem& problem, plan::Lowering& node);

/// f16 by VK_KHR_cooperative_matrix: weights pass through shared memory between the two products.
plan::Attempt attempt_coopmat(const AttentionProblem& problem, plan::Lowering& node);

/// f32 by register tiles, 16 bytes of each operand at a time.
plan::Attempt attempt_wide(const AttentionProblem& problem, plan::Lowering& node);

/// Any dtype by tiles in shared memory.
plan::Attempt attempt_tiled(const AttentionProblem& problem, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::attention
