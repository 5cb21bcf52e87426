#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <variant>

#include "gpu_vulkan/device/device_facts.hpp"
#include "gpu_vulkan/plan/schedule.hpp"
#include "gpu_vulkan/plan/tile_choice.hpp"
#include "ir/sums.hpp"

namespace plumb::gpu_vulkan::plan {
/// Which operands a node may write over: in_place.hpp.
class InPlace;

/// Why a kernel cannot serve a node on this device, in words for people.
struct Refusal {
  std::string why;
};

/// The dispatches of a kernel that takes a node: `emit` adds them, with all that the attempt found out.
struct Emission {
  std::function<void()> emit;
  std::string name = {};  ///< empty: the candidate's; split-K products add their number of slices
};

/// A refusal, or the kernel's parameters.
template <class T>
using Or = std::variant<Refusal, T>;
using Attempt = Or<Emission>;

/// The refusal where there is one, else the emission.
inline Attempt attempt_of(const std::optional<std::string>& refusal, std::function<void()> emit) {
  if (refusal) return Refusal{*refusal};
  return Emission{std::move(emit)};
}

/// One way to run a node.
struct Candidate {
  std::string name;
  device::KernelFamily family;
  std::function<Attempt()> attempt;
};

/// Which candidate runs a node, and why those before it do not.
struct KernelChoice {
  std::string name;
  std::vector<std::string> refusals;
  std::string tile = {};               ///< tile of one workgroup, "128x128x32"; empty for kernels without tiles
  std::string tile_reason = {};        ///< which tile was chosen and why, where a kernel has several
  std::string tile_kernel = {};        ///< which they were measured for, in a Calibration
  std::vector<TileOption> tiles = {};  ///< which there were
  std::vector<ir::Sum> sums = {};      ///< how it adds, one for each of its sums
  std::string overwriting = {};        ///< "in place", or "copy: " and why; empty for ops that change no operand

  std::vector<std::string> reasons() const;  ///< the refusals, the tile, and whether an operand is written over
};

/// The report of the first index out of range that the shaders of a run met.
struct Fault {
  std::uint32_t raised, node, position, value_low, value_high;

  std::int64_t value() const { return static_cast<std::int64_t>(std::uint64_t{value_high} << 32 | value_low); }
};

/// int64 -> uint32 modulo 2^32: negative steps and shifts wrap.
constexpr std::uint32_t word(std::int64_t x) { return static_cast<std::uint32_t>(x); }

/// One node on its way to becoming dispatches. A kernel for op T is the function
///   void lower(const ir::ops::T&, Lowering&)
/// in ops/t.cpp, with its shader beside it in ops/t.comp. It touches no device:
/// it sees types and DeviceFacts, and writes dispatches.
///
/// It is never called for a node whose outputs are all empty, and never issues an
/// empty dispatch. Inputs may be empty (an empty slot has 4 bytes).
class Lowering {
 public:
  Lowering(const ir::Graph& graph, const ir::Node& node, const device::DeviceFacts& facts, const PlanOptions& options,
           std::vector<Slot>& slots, Slot faults, Schedule& schedule, const InPlace* in_place = nullptr)
      : graph_(graph),
        node_(node),
        facts_(facts),
        options_(options),
        slots_(slots),
        faults_(faults),
        schedule_(schedule),
        in_place_(in_place) {}

  const device::DeviceFacts& facts() const { return facts_; }
  const PlanOptions& options() const { return options_; }
  std::size_t inputs() const { return node_.inputs.size(); }
  std::size_t outputs() const { return node_.outputs.size(); }
  const ir::TensorType& in_type(std::size_t i) const { return graph_.type(node_.inputs.at(i)); }
  const ir::TensorType& out_type(std::size_t i) const { return graph_.type(node_.outputs.at(i)); }
  Slot in(std::size_t i) const { return slots_.at(node_.inputs.at(i)); }
  Slot out(std::size_t i) const { return slots_.at(node_.outputs.at(i)); }

  /// Whether the node reads a value that a constant op computes, and its bytes.
  const ir::Bytes* constant_in(std::size_t i) const;

  /// Memory that only this node's dispatches use.
  Slot scratch(std::size_t bytes) { return schedule_.slot(bytes); }

  /// A read-only table, uploaded once.
  Slot table(std::span<const std::byte> content);

  /// A Fault, all zero before a run. A shader that meets an index out of range fills
  /// it by glsl/faults.glsl; bind it as the last write. `node_number` is what it writes.
  Slot faults() const { return faults_; }
  std::uint32_t node_number() const;

  /// The output is the same bytes as the input, under another shape.
  void alias(std::size_t output, std::size_t input);

  /// Whether the result, of which the node writes only a part, is to be written over an operand that nobody else reads:
  /// then output 0 has the operand's slot from here on. Else the kernel copies the operand first. A kernel that takes
  /// indices must write nothing once any of them is out of range, or a fault was raised before.
  bool writes_over(std::size_t input);

  /// Says why the kernel copies an operand rather than write over it.
  void copies(const std::string& why) { choice_.overwriting = "copy: " + why; }

  void dispatch(Dispatch dispatch);

  /// Takes the first candidate that is not turned off and does not refuse, or one behind it, or another of its tiles
  /// (PlanOptions::alternative). Throws Unsupported with all reasons when there is none.
  void choose(const std::vector<Candidate>& candidates);

  /// The index of the tile to dispatch a kernel of products with: choose_tile.
  std::size_t take_tile(std::string_view kernel, const device::ProductSize& size, std::span<const TileOption> tiles);

  /// Says which tile the node is dispatched with, where take_tile did not choose it.
  void uses_tile(std::string tile) { choice_.tile = std::move(tile); }

  /// Says what the node's kernel is called, where a part of it was chosen by itself and would give it its name.
  void is_called(std::string name) { choice_.name = std::move(name); }

  /// Says how the node's kernel adds one of its sums.
  void adds(ir::Sum sum) { choice_.sums.push_back(std::move(sum)); }
  /// Takes back what was said of sums behind the first `count`: their terms do not come in the order of the contract.
  void forget_sums(std::size_t count) { choice_.sums.resize(count); }

  /// Refuses the node: throws Unsupported unless the condition holds.
  template <class... Parts>
  void needs(bool condition, const Parts&... parts) const {
    if (!condition) throw ir::Unsupported(ir::cat(parts...));
  }

  /// Refuses tensors of 2^31 elements or more.
  void needs_its_sizes() const;

  /// Refuses those, and operands and results that this device's shaders cannot hold.
  void needs_its_types() const;

  const KernelChoice& choice() const { return choice_; }

 private:
  bool choose_way(const std::vector<Candidate>& candidates, std::size_t way);
  std::optional<Refusal> take(const Candidate& candidate);
  std::size_t ways() const;
  struct Mark;
  Mark mark() const;
  void go_back(const Mark& to);

  const ir::Graph& graph_;
  const ir::Node& node_;
  const device::DeviceFacts& facts_;
  const PlanOptions& options_;
  std::vector<Slot>& slots_;
  Slot faults_;
  Schedule& schedule_;
  const InPlace* in_place_;  ///< null: nothing is written over
  KernelChoice choice_;
  std::size_t tile_rank_ = 0;  ///< which tile to take: 0 the best, then the others that fit, in their order
};

/// How a graph's first node would be lowered, with nothing kept of it. Throws Unsupported as lower_op does.
KernelChoice lowered_choice(const ir::Graph& graph, const device::DeviceFacts& facts, const PlanOptions& options);

/// Workgroups to cover `count` items at `each` per group, folded into two
/// dimensions where one is too short: shaders count them by group_index().
Groups groups_for(std::int64_t count, std::int64_t each = 1);

/// Whether the op runs here. Constants do without a kernel.
bool has_kernel(const ir::OpSchema& schema);

/// Appends the node's dispatches. Throws Unsupported when there is no kernel.
void lower_op(const ir::Op& op, Lowering& node);

}  // namespace plumb::gpu_vulkan::plan
