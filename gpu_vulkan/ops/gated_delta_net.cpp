// Lowers the gated delta rule: columns of states do not mix, so that workgroups take some of a head's each.
#include "ir/ops/gated_delta_net.hpp"

#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/kernels/scans/scan_slots.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::GatedDeltaNet;

void dispatch_steps(const GatedDeltaNet& op, ir::Types types, const kernels::scans::ScanSlots& slots,
                    plan::Lowering& node) {
  struct Block {
    std::array<std::uint32_t, 2> scale;
    std::uint32_t parts, heads, steps, every, dk, dv, column_blocks, query_blocks, all_queries, queries, queries_here;
  };
  const auto e = op.extents(types);
  constexpr std::uint32_t threads = 128, most_queries = 16;
  const auto rows = static_cast<std::uint32_t>(std::max<std::int64_t>(1, e.dk));
  const std::uint32_t lanes = std::clamp(std::bit_ceil(rows) / 8, 1u, 16u), each = (rows + lanes - 1) / lanes;
  const std::int64_t columns = threads / lanes,
                     column_blocks = (std::max<std::int64_t>(1, e.dv) + columns - 1) / columns;
  const std::int64_t queries = e.Hq / e.H, queries_here = std::clamp<std::int64_t>(queries, 1, most_queries);
  const std::int64_t query_blocks = std::max<std::int64_t>(1, (queries + queries_here - 1) / queries_here);
  const std::vector<plan::Slot>& in = slots.operands();
  node.dispatch({
      .shader = {ir::cat("delta_steps.", slots.data()),
                 {{"invocations", threads},
                  {"lanes", lanes},
                  {"each", each},
                  {"has_decay", op.has_decay},
                  {"decays_rows", op.decays_rows(types)},
                  {"has_beta", op.has_beta},
                  {"begins", op.has_state}}},
      .reads = {in[0], in[1], in[2], in[op.has_decay ? op.decay_operand() : 0], in[op.has_beta ? op.beta_operand() : 0],
                slots.first()},
      .writes = {slots.own(), slots.last(), slots.way()},
      .push = Block{.scale = kernels::common::words_of(op.factor(types), slots.computed()),
                    .parts = plan::word(e.B * e.H),
                    .heads = plan::word(e.H),
                    .steps = plan::word(e.L),
                    .every = plan::word(std::min<std::int64_t>(op.state_every, 1ll << 31)),
                    .dk = plan::word(e.dk),
                    .dv = plan::word(e.dv),
                    .column_blocks = plan::word(column_blocks),
                    .query_blocks = plan::word(query_blocks),
                    .all_queries = plan::word(e.Hq),
                    .queries = plan::word(queries),
                    .queries_here = plan::word(queries_here)},
      .groups = plan::groups_for(e.B * e.H * column_blocks * query_blocks),
  });
}

}  // namespace

void lower(const GatedDeltaNet& op, plan::Lowering& node) {
  ir::TensorTypes types;
  for (std::size_t i = 0; i < node.inputs(); ++i) types.push_back(node.in_type(i));
  kernels::scans::ScanSlots slots(op.computed(types), op.states(types), op.has_state, node);
  dispatch_steps(op, types, slots, node);
  slots.finish();
}

}  // namespace plumb::gpu_vulkan
