// Lowers recurrences: the product of all inputs by the kernels of products, states before the first step, the steps.
#include "gpu_vulkan/kernels/recurrent/recurrent.hpp"

#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/common/tiles.hpp"
#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"
#include "gpu_vulkan/kernels/gemm/gemm.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"

namespace plumb::gpu_vulkan::kernels::recurrent {
namespace {

using common::pieces;

// As step.glsl has them: a workgroup's units, and neighbours that share a line of R.
constexpr std::int64_t units_each = 8, lanes = 8;
constexpr std::uint32_t invocations = 256;

/// The push constants of a step (sequences.glsl).
struct StepBlock {
  std::uint32_t step, steps, batch, directions, width, gate_rows, flags;
  std::array<std::uint32_t, 2> clip;  // bits, the low word first
};

std::size_t bytes_of(std::int64_t elements, ir::DType dtype) {
  return static_cast<std::size_t>(elements) * ir::info(dtype).bytes;
}

/// The bits that sequences.glsl names.
std::uint32_t flags_of(const Description& op) {
  std::uint32_t flags = 0;
  const auto set = [&](std::uint32_t flag, bool is_set) { flags |= is_set ? flag : 0; };
  set(1, ir::kernels::is_reverse(op.direction, 0));
  set(2, ir::kernels::is_reverse(op.direction, 1));
  set(4, op.operands.bias.has_value());
  set(8, op.clip.has_value());
  set(16, op.operands.peephole.has_value());
  set(32, op.input_forget);
  set(64, op.cell_states);
  set(128, op.linear_before_reset);
  return flags;
}

/// How many quads of R an invocation reads ahead: as many as registers hold, or half of that where two workgroups are
/// to share them.
std::uint32_t at_once(const ir::kernels::RecurrentExtents& n, std::int64_t groups) {
  if (n.gates == 1) return 8;
  return groups <= plan::enough_tiles + plan::enough_tiles / 4 ? 4 : 2;
}

}  // namespace

/// Sequences of a workgroup of a step, and how many elements of their states it has at a time.
struct Steps::Tile {
  std::uint32_t rows_each, row_groups;
  std::int64_t depth = 512;

  std::int64_t rows() const { return std::int64_t{rows_each} * row_groups; }
  std::int64_t groups(const ir::kernels::RecurrentExtents& n) const {
    return n.directions * pieces(n.units, units_each) * pieces(n.batch, rows());
  }
  std::int64_t elements() const {
    const std::int64_t parts = invocations / (units_each * row_groups * lanes) * lanes;
    return rows() * depth + units_each * rows() * (parts + 1);
  }
};

/// As many sequences as leave enough workgroups to fill the device; the more there are, the fewer of them read R.
Steps::Tile Steps::tile() const {
  const ir::kernels::RecurrentExtents& n = op_.n;
  if (n.batch == 1) return fitted({1, 1});
  for (const Tile one : {Tile{8, 2}, Tile{8, 1}})
    if (n.batch > one.rows() / 2 && one.groups(n) >= plan::enough_tiles) return fitted(one);
  return fitted({4, 1});
}

/// As deep as shared memory and the states are.
Steps::Tile Steps::fitted(Tile tile) const {
  constexpr std::int64_t least = 32;
  while (tile.depth > least &&
         (bytes_of(tile.elements(), computed_) > node_.facts().shared_memory || tile.depth >= 2 * op_.n.units))
    tile.depth /= 2;
  const std::size_t shared = bytes_of(tile.elements(), computed_);
  node_.needs(shared <= node_.facts().shared_memory, "a step takes ", shared, " bytes of shared memory");
  return tile;
}

Steps::Steps(const Description& op, plan::Lowering& node)
    : op_(op),
      node_(node),
      dtype_(node.in_type(0).dtype),
      computed_(dtype_ == ir::DType::f64 ? dtype_ : ir::DType::f32),
      inputs_(node.in(0)),
      lengths_(node.scratch(bytes_of(op.n.batch, ir::DType::u32))),
      cell_(node.in(0)),
      states_{scratch(), scratch()} {
  node.needs_its_types();
  constexpr std::size_t most_bindings = 12;
  node.needs(node.facts().max_storage_buffers >= most_bindings, node.facts().name, " has fewer than ", most_bindings,
             " storage buffers in a kernel");
  node.needs(node.facts().max_invocations >= invocations, node.facts().name, " has workgroups of fewer than ",
             invocations, " invocations");
  if (op_.n.gates == 4) cell_ = scratch();
  multiply_inputs();
  begin();
}

plan::Slot Steps::scratch() const { return node_.scratch(bytes_of(op_.n.states().elements(), computed_)); }

void Steps::multiply_inputs() {
  const ir::kernels::RecurrentExtents& n = op_.n;
  const std::int64_t elements = n.directions * n.steps * n.batch * n.gate_rows();
  if (elements == 0) return;
  node_.needs(elements < (std::int64_t{1} << 31), "the gates of all steps are 2^31 elements or more");
  inputs_ = node_.scratch(bytes_of(elements, computed_));
  gemm::Gemm product;
  product.m = n.steps * n.batch;
  product.n = n.gate_rows();
  product.k = n.inputs;
  product.transpose_b = true;
  if (n.directions > 1) {
    product.batch = {n.directions};
    product.a_strides = {0};
    product.b_strides = {n.gate_rows() * n.inputs};
  }
  gemm::lower_gemm(product, {node_.in(0), node_.in(1), node_.in(0), inputs_, dtype_, computed_}, node_);
}

void Steps::begin() {
  struct Block {
    std::uint32_t states, batch, steps, node, index_words, flags;
  };
  const ir::kernels::RecurrentExtents& n = op_.n;
  const auto operand = [&](std::optional<std::size_t> i) { return node_.in(i.value_or(0)); };
  const bool has_cell = n.gates == 4;
  const std::uint32_t words =
      op_.operands.lengths ? indexing::index_words(node_.in_type(*op_.operands.lengths).dtype) : 0u;
  const std::uint32_t flags = (op_.operands.initial_h ? 1u : 0u) | (op_.operands.initial_c ? 2u : 0u) |
                              (has_cell ? 4u : 0u);  // as the shader names them
  constexpr std::uint32_t threads = 128;
  node_.dispatch({
      .shader = {ir::cat("recurrent_begin.", dtype_), {{"invocations", threads}}},
      .reads = {operand(op_.operands.initial_h), operand(op_.operands.initial_c), operand(op_.operands.lengths)},
      .writes = {states_[0], has_cell ? cell_ : states_[0], lengths_, node_.out(1), node_.out(has_cell ? 2 : 1),
                 node_.faults()},
      .push = Block{plan::word(n.states().elements()), plan::word(n.batch), plan::word(n.steps), node_.node_number(),
                    words, flags},
      .groups = plan::groups_for(std::max(n.states().elements(), n.batch), threads),
  });
}

bool Steps::are_resident() const {
  // Lines of R as long as this take half of the registers of an invocation, of which there are 256 at most.
  constexpr std::size_t most_bytes = 256;
  return op_.n.steps > 0 && bytes_of(op_.n.units, computed_) <= most_bytes && op_.n.gate_rows() <= invocations;
}

void Steps::dispatch_resident(std::string_view shader, const std::vector<plan::Slot>& reads,
                              std::vector<plan::Slot> writes) {
  const ir::kernels::RecurrentExtents& n = op_.n;
  const auto whole = std::bit_ceil(static_cast<std::uint32_t>(std::max<std::int64_t>(n.gate_rows(), 32)));
  dispatch({ir::cat(shader, '.', dtype_),
            {{"invocations", whole},
             {"gate_function", op_.gate},
             {"cell_function", op_.cell},
             {"hidden_function", op_.hidden},
             {"quads", plan::word(pieces(n.units, 4))},
             {"is_even", n.units % 4 == 0}}},
           0, n.directions * n.batch, states_[0], reads, std::move(writes));
}

void Steps::dispatch(std::string_view shader, std::int64_t s, plan::Slot multiplied,
                     const std::vector<plan::Slot>& reads, std::vector<plan::Slot> writes) {
  const Tile tile = this->tile();
  dispatch({ir::cat(shader, '.', elementwise::variant_of(dtype_, node_.facts())),
            {{"invocations", invocations},
             {"gate_function", op_.gate},
             {"cell_function", op_.cell},
             {"hidden_function", op_.hidden},
             {"rows_each", tile.rows_each},
             {"row_groups", tile.row_groups},
             {"depth", plan::word(tile.depth)},
             {"at_once", at_once(op_.n, tile.groups(op_.n))},
             {"is_even", op_.n.units % 4 == 0}}},
           s, tile.groups(op_.n), multiplied, reads, std::move(writes));
}

void Steps::dispatch(plan::Shader shader, std::int64_t s, std::int64_t groups, plan::Slot multiplied,
                     const std::vector<plan::Slot>& reads, std::vector<plan::Slot> writes) {
  const ir::kernels::RecurrentExtents& n = op_.n;
  std::vector<plan::Slot> all = {inputs_, node_.in(2), node_.in(op_.operands.bias.value_or(0)), lengths_, multiplied};
  all.insert(all.end(), reads.begin(), reads.end());
  node_.dispatch({
      .shader = std::move(shader),
      .reads = std::move(all),
      .writes = std::move(writes),
      .push = StepBlock{plan::word(s), plan::word(n.steps), plan::word(n.batch), plan::word(n.directions),
                        plan::word(n.units), plan::word(n.gate_rows()), flags_of(op_),
                        common::words_of(op_.clip.value_or(0), computed_)},
      .groups = plan::groups_for(groups),
  });
}

}  // namespace plumb::gpu_vulkan::kernels::recurrent
