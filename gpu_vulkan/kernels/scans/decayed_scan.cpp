// Shares rows and steps of a scan out to invocations, and adds the walks over its chunks.
#include "gpu_vulkan/kernels/scans/decayed_scan.hpp"

#include <bit>

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/scans/scan_slots.hpp"

namespace plumb::gpu_vulkan::kernels::scans {
namespace {

using ir::kernels::DecayedScan;

constexpr std::uint32_t threads = 128;
/// Invocations that keep a device busy, and the fewest steps of a chunk that are worth a second look at the data.
constexpr std::int64_t enough = 1 << 17, least_chunk = 64;

/// How rows and steps are shared out.
struct ScanShare {
  std::uint32_t lanes, each;
  std::int64_t rows, blocks;             ///< all rows; workgroups beside each other
  std::int64_t chunk_steps, chunks = 1;  ///< workgroups behind each other

  explicit ScanShare(const DecayedScan& scan)
      : lanes(std::min(32u, std::bit_ceil(static_cast<std::uint32_t>(scan.size)))),
        each(static_cast<std::uint32_t>((scan.size + lanes - 1) / lanes)),
        rows(scan.batches * scan.rows_of_batch()),
        blocks((rows * lanes + threads - 1) / threads),
        chunk_steps(std::max<std::int64_t>(1, scan.steps)) {
    const std::int64_t wanted = std::min(enough / (blocks * threads), scan.steps / least_chunk);
    if (wanted < 2) return;
    chunk_steps = (scan.steps + wanted - 1) / wanted;
    chunks = (scan.steps + chunk_steps - 1) / chunk_steps;
  }
};

enum class Stage : std::uint32_t { whole, first };

/// One walk over all chunks: its states begin as `begun` has them, if it begins with any.
struct Walk {
  Stage stage;
  bool begins;
  plan::Slot begun, ends, way;
};

void dispatch(const DecayedScan& scan, const ScanShare& share, const ScanSlots& slots, const Walk& walk,
              plan::Lowering& node) {
  struct Block {
    std::uint32_t all_rows, rows_of_batch, rows, heads, heads_of_group, groups, size, steps, every, chunk_steps, chunks,
        blocks;
  };
  const std::vector<plan::Slot>& in = slots.operands();
  node.dispatch({
      .shader = {ir::cat("decayed_scan.", slots.data()),
                 {{"invocations", threads},
                  {"lanes", share.lanes},
                  {"each", share.each},
                  {"stage", walk.stage},
                  {"differs_by_state", scan.differs_by_state},
                  {"has_skip", scan.has_skip},
                  {"begins", walk.begins}}},
      .reads = {in[0], in[1], in[2], in[3], in[4], in[scan.has_skip ? 5 : 0], walk.begun},
      .writes = {slots.own(), walk.ends, walk.way},
      .push = Block{.all_rows = plan::word(share.rows),
                    .rows_of_batch = plan::word(scan.rows_of_batch()),
                    .rows = plan::word(scan.rows),
                    .heads = plan::word(scan.heads),
                    .heads_of_group = plan::word(scan.heads / scan.groups),
                    .groups = plan::word(scan.groups),
                    .size = plan::word(scan.size),
                    .steps = plan::word(scan.steps),
                    .every = plan::word(std::min<std::int64_t>(scan.states.every, 1ll << 31)),
                    .chunk_steps = plan::word(share.chunk_steps),
                    .chunks = plan::word(share.chunks),
                    .blocks = plan::word(share.blocks)},
      .groups = plan::groups_for(share.blocks * share.chunks),
  });
}

/// The states that chunks begin with.
plan::Slot states_of_chunks(const DecayedScan& scan, const ScanShare& share, const ScanSlots& slots,
                            plan::Lowering& node) {
  const std::int64_t elements = share.rows * scan.size;
  const std::size_t bytes = static_cast<std::size_t>(elements * share.chunks) * ir::info(slots.computed()).bytes;
  const plan::Slot ends = node.scratch(bytes), products = node.scratch(bytes), begun = node.scratch(bytes);
  dispatch(scan, share, slots, {Stage::first, false, slots.first(), ends, products}, node);
  struct Block {
    std::uint32_t elements, chunks;
  };
  node.dispatch({
      .shader = {ir::cat("decayed_states.", slots.computed()), {{"invocations", threads}, {"begins", scan.has_state}}},
      .reads = {slots.first(), ends, products},
      .writes = {begun},
      .push = Block{plan::word(elements), plan::word(share.chunks)},
      .groups = plan::groups_for(elements, threads),
  });
  return begun;
}

}  // namespace

void lower_decayed_scan(const DecayedScan& scan, plan::Lowering& node) {
  ScanSlots slots(scan.computed, scan.states, scan.has_state, node);
  const ScanShare share(scan);
  common::publish({.of = ir::SumName::states,
                   .levels = common::without_single({common::chain(), common::lane_chain(share.lanes)}),
                   .is_rounded = true,
                   .epilogue = scan.has_skip ? std::vector{ir::SumStep::skip} : std::vector<ir::SumStep>{}},
                  slots.data(), node);
  if (share.chunks == 1) {
    dispatch(scan, share, slots, {Stage::whole, scan.has_state, slots.first(), slots.last(), slots.way()}, node);
  } else {
    const plan::Slot begun = states_of_chunks(scan, share, slots, node);
    dispatch(scan, share, slots, {Stage::whole, true, begun, slots.last(), slots.way()}, node);
  }
  slots.finish();
}

}  // namespace plumb::gpu_vulkan::kernels::scans
