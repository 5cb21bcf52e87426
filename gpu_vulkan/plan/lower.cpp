// Lowers ops by their type, with a table from all lower() functions, and asks candidate kernels one after the other.
#include "gpu_vulkan/plan/lower.hpp"

#include <algorithm>

#include "gpu_vulkan/fused_ops/op_table.hpp"
#include "gpu_vulkan/op_table.hpp"
#include "gpu_vulkan/plan/in_place.hpp"
#include "ir/ops/constant.hpp"
#include "ir/registered_op.hpp"

namespace plumb::gpu_vulkan::plan {
namespace {

using Kernel = void (*)(const ir::Op&, Lowering&);

const ir::OpTable<Kernel>& kernels() {
  static const auto table = [] {
    const auto entry = []<class T>() -> Kernel {
      return [](const ir::Op& op, Lowering& lowering) { lower(op.as<T>(), lowering); };
    };
    auto all = Ops::table<Kernel>(entry);
    all.merge(fused_ops::Ops::table<Kernel>(entry));
    return all;
  }();
  return table;
}

Attempt turned_off(device::KernelFamily family) {
  return Refusal{ir::cat("turned off by --set without=", ir::enum_name(family))};
}

}  // namespace

std::vector<std::string> KernelChoice::reasons() const {
  auto all = refusals;
  if (!tile_reason.empty()) all.push_back("tile " + tile_reason);
  if (!overwriting.empty()) all.push_back(overwriting);
  return all;
}

const ir::Bytes* Lowering::constant_in(std::size_t i) const {
  const auto producer = graph_.producer(node_.inputs.at(i));
  if (!producer) return nullptr;
  const ir::Op& op = graph_.nodes()[*producer].op;
  return op.is<ir::ops::Constant>() ? &op.as<ir::ops::Constant>().data : nullptr;
}

Slot Lowering::table(std::span<const std::byte> content) {
  const Slot slot = schedule_.slot(content.size(), Residence::resident);
  schedule_.slots[slot].content.assign(content.begin(), content.end());
  return slot;
}

std::uint32_t Lowering::node_number() const { return static_cast<std::uint32_t>(&node_ - graph_.nodes().data()); }

void Lowering::alias(std::size_t output, std::size_t input) {
  slots_.at(node_.outputs.at(output)) = in(input);
  choice_.name = "alias";
}

bool Lowering::writes_over(std::size_t input) {
  if (in_place_ == nullptr) return false;
  const std::string refusal = in_place_->refusal(node_, input, slots_, schedule_);
  if (refusal.empty()) {
    slots_.at(node_.outputs.at(0)) = in(input);
    choice_.overwriting = "in place";
  } else {
    copies(refusal);
  }
  return refusal.empty();
}

void Lowering::dispatch(Dispatch dispatch) {
  if (choice_.name.empty()) choice_.name = dispatch.shader.name;
  dispatch.node = node_number();
  schedule_.dispatches.push_back(std::move(dispatch));
}

/// The state to go back to when a candidate is passed over.
struct Lowering::Mark {
  std::size_t dispatches, slots;
  std::vector<Slot> slots_of_values;
  KernelChoice choice;
};

Lowering::Mark Lowering::mark() const { return {schedule_.dispatches.size(), schedule_.slots.size(), slots_, choice_}; }

void Lowering::go_back(const Mark& to) {
  schedule_.dispatches.resize(to.dispatches);
  schedule_.slots.resize(to.slots);
  slots_ = to.slots_of_values;
  choice_ = to.choice;
}

/// Emits a candidate's dispatches, or says why it has none.
std::optional<Refusal> Lowering::take(const Candidate& candidate) {
  const bool is_off = std::ranges::find(options_.without, candidate.family) != options_.without.end();
  const Attempt attempt = is_off ? turned_off(candidate.family) : candidate.attempt();
  if (const auto* refusal = std::get_if<Refusal>(&attempt)) return *refusal;
  const auto& emission = std::get<Emission>(attempt);
  choice_.name = emission.name.empty() ? candidate.name : emission.name;
  emission.emit();
  return std::nullopt;
}

/// How many tiles the candidate that was taken could have.
std::size_t Lowering::ways() const {
  const auto fitting = static_cast<std::size_t>(std::ranges::count(choice_.tiles, true, &TileOption::fits));
  return std::max<std::size_t>(fitting, 1);
}

/// Takes the kernel and tile of this number, counted over all candidates; false where there are not so many.
bool Lowering::choose_way(const std::vector<Candidate>& candidates, std::size_t way) {
  // The best way is taken without going back, and a mark copies the slots of all values.
  const std::optional<Mark> before = way > 0 ? std::optional(mark()) : std::nullopt;
  std::vector<std::string> refusals;
  for (const Candidate& candidate : candidates) {
    tile_rank_ = 0;
    if (const auto refusal = take(candidate)) {
      refusals.push_back(ir::cat(candidate.name, ": ", refusal->why));
      continue;
    }
    const std::size_t has = ways();
    if (way > 0) go_back(*before);
    if (way >= has) {
      way -= has;
      refusals.push_back(ir::cat(candidate.name, ": passed over by --set alternative=", options_.alternative));
      continue;
    }
    if (way > 0) {
      tile_rank_ = way;
      take(candidate);
    }
    choice_.refusals = std::move(refusals);
    return true;
  }
  choice_.refusals = std::move(refusals);
  return false;
}

void Lowering::choose(const std::vector<Candidate>& candidates) {
  if (choose_way(candidates, options_.alternative)) return;
  if (options_.alternative > 0 && choose_way(candidates, 0)) return;
  std::string all;
  for (const auto& reason : choice_.refusals) all += (all.empty() ? "" : "; ") + reason;
  throw ir::Unsupported(all);
}

std::size_t Lowering::take_tile(std::string_view kernel, const device::ProductSize& size,
                                std::span<const TileOption> tiles) {
  TileChoice taken = choose_tile(options_, kernel, size, tiles);
  if (tile_rank_ > 0) taken = other_tile(tiles, taken.index, tile_rank_);
  choice_.tile = tiles[taken.index].name;
  choice_.tile_reason = std::move(taken.why);
  choice_.tile_kernel = kernel;
  choice_.tiles.assign(tiles.begin(), tiles.end());
  return taken.index;
}

void Lowering::needs_its_sizes() const {
  const auto one = [&](const ir::TensorType& type) {
    needs(type.shape.elements() < (std::int64_t{1} << 31), type, " has 2^31 elements or more");
  };
  for (std::size_t i = 0; i < inputs(); ++i) one(in_type(i));
  for (std::size_t i = 0; i < outputs(); ++i) one(out_type(i));
}

void Lowering::needs_its_types() const {
  needs_its_sizes();
  const auto one = [&](const ir::TensorType& type) {
    needs(facts_.holds(type.dtype), facts_.name, " has no ", type.dtype, " in shaders");
  };
  for (std::size_t i = 0; i < inputs(); ++i) one(in_type(i));
  for (std::size_t i = 0; i < outputs(); ++i) one(out_type(i));
}

Groups groups_for(std::int64_t count, std::int64_t each) {
  constexpr std::int64_t widest = 65535;  // least maxComputeWorkGroupCount of Vulkan
  const std::int64_t groups = (count + each - 1) / each;
  const std::int64_t rows = std::max<std::int64_t>(1, (groups + widest - 1) / widest);
  return {static_cast<std::uint32_t>((groups + rows - 1) / rows), static_cast<std::uint32_t>(rows), 1};
}

bool has_kernel(const ir::OpSchema& schema) {
  if (const ir::DeclaredOp* const op = ir::registered(schema)) return op->code.body || op->code.gpu;
  return &schema == &ir::schema<ir::ops::Constant>() || kernels().contains(&schema);
}

void lower_op(const ir::Op& op, Lowering& node) {
  const auto kernel = kernels().find(&op.schema());
  if (kernel == kernels().end()) throw ir::Unsupported("has no kernel");
  kernel->second(op, node);
}

KernelChoice lowered_choice(const ir::Graph& graph, const device::DeviceFacts& facts, const PlanOptions& options) {
  Schedule schedule;
  std::vector<Slot> slots;
  for (ir::Value v = 0; v < graph.value_count(); ++v) slots.push_back(schedule.slot(graph.type(v).bytes()));
  const Slot faults = schedule.slot(sizeof(Fault));
  const ir::Node& node = graph.nodes().at(0);
  Lowering lowering(graph, node, facts, options, slots, faults, schedule);
  lower_op(node.op, lowering);
  return lowering.choice();
}

}  // namespace plumb::gpu_vulkan::plan
