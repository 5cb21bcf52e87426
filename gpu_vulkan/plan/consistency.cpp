#include "gpu_vulkan/plan/consistency.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

namespace plumb::gpu_vulkan::plan {
namespace {

/// Bytes of one buffer.
struct Bytes {
  std::size_t buffer = 0, begin = 0, end = 0;
  bool meets(const Bytes& other) const { return buffer == other.buffer && begin < other.end && other.begin < end; }
};

/// Whose bytes lie where: of each buffer, who wrote last.
class Memory {
 public:
  explicit Memory(std::size_t buffers) : buffers_(buffers) {}

  void give(const Bytes& bytes, Slot owner) {
    auto& pieces = buffers_.at(bytes.buffer);
    split(pieces, bytes.begin);
    split(pieces, bytes.end);
    pieces.erase(pieces.lower_bound(bytes.begin), pieces.lower_bound(bytes.end));
    pieces.emplace(bytes.begin, Piece{bytes.end, owner});
  }

  /// Who holds the first of these bytes that is not `owner`'s; Plan::no_slot where nobody does. Nothing when all are.
  std::optional<Slot> stranger(const Bytes& bytes, Slot owner) const {
    const auto& pieces = buffers_.at(bytes.buffer);
    std::size_t at = bytes.begin;
    auto piece = pieces.upper_bound(at);
    if (piece != pieces.begin()) --piece;
    for (; piece != pieces.end() && at < bytes.end; ++piece) {
      if (piece->second.end <= at) continue;
      if (piece->first > at) break;
      if (piece->second.owner != owner) return piece->second.owner;
      at = piece->second.end;
    }
    if (at >= bytes.end) return std::nullopt;
    return Plan::no_slot;
  }

  /// Who holds the first of these bytes that anybody holds.
  std::optional<Slot> holder(const Bytes& bytes) const {
    const auto& pieces = buffers_.at(bytes.buffer);
    auto piece = pieces.upper_bound(bytes.begin);
    if (piece != pieces.begin() && std::prev(piece)->second.end > bytes.begin) --piece;
    if (piece == pieces.end() || piece->first >= bytes.end) return std::nullopt;
    return piece->second.owner;
  }

  void clear() {
    for (Pieces& pieces : buffers_) pieces.clear();
  }

 private:
  struct Piece {
    std::size_t end;
    Slot owner;
  };
  using Pieces = std::map<std::size_t, Piece>;  // by where they begin

  /// Cuts the piece that `at` lies inside of, so that one begins there.
  static void split(Pieces& pieces, std::size_t at) {
    auto piece = pieces.lower_bound(at);
    if (piece == pieces.begin()) return;
    --piece;
    const Piece whole = piece->second;
    if (whole.end <= at) return;
    piece->second.end = at;
    pieces.emplace(at, whole);
  }

  std::vector<Pieces> buffers_;
};

/// By value, the one that was written or uploaded where it lies: the operand of a node that gives it another shape and
/// writes nothing there, or else itself.
std::vector<ir::Value> roots(const Plan& plan, const ir::Graph& graph) {
  std::vector<ir::Value> roots(graph.value_count());
  std::iota(roots.begin(), roots.end(), ir::Value{0});
  std::set<std::pair<std::size_t, Slot>> written;  // by nodes
  for (const Dispatch& dispatch : plan.schedule.dispatches)
    for (const Slot slot : dispatch.writes) written.emplace(dispatch.node, slot);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const ir::Node& node = graph.nodes()[n];
    for (const ir::Value y : node.outputs) {
      const Slot slot = plan.slot(y);
      if (slot == Plan::no_slot || written.contains({n, slot})) continue;
      for (const ir::Value x : node.inputs)
        if (plan.slot(x) == slot) roots[y] = roots[x];
    }
  }
  return roots;
}

/// A run of the plan, with nothing computed.
class Walk {
 public:
  Walk(const Plan& plan, const ir::Graph& graph, const device::DeviceFacts& facts)
      : plan_(plan),
        graph_(graph),
        alignment_(std::max<std::size_t>(facts.offset_alignment, widest_load)),
        memory_(plan.arena.buffers.size()),
        written_(plan.schedule.slots.size()),
        roots_(roots(plan, graph)),
        holds_(plan.schedule.slots.size()),
        read_since_(plan.arena.buffers.size()),
        written_since_(plan.arena.buffers.size()) {}

  void run() {
    ir::require(plan_.barrier_before.size() == plan_.schedule.dispatches.size(),
                "the plan has not one place for a barrier by dispatch");
    for (Slot s = 0; s < plan_.schedule.slots.size(); ++s) {
      require_inside(s);
      require_aligned(s);
    }
    if (plan_.placed(plan_.faults)) fill(plan_.faults);
    std::size_t next = 0;
    for (const Segment& part : plan_.segments) {
      ir::require(part.begin == next && part.end >= part.begin, "the plan's parts leave out dispatch ", next);
      for (const ir::Value v : part.uploads)
        if (plan_.placed(plan_.slot(v))) upload(v);
      for (; next < part.end; ++next) step(next);
      for (const ir::Value v : part.downloads) {
        require_whole(plan_.slot(v), [&] { return ir::cat("the host reads ", full_name(plan_.slot(v))); });
        require_current(v, no_node, [&] { return ir::cat("the host reads '", graph_.name(v), '\''); });
      }
    }
    ir::require(next == plan_.schedule.dispatches.size(), "no part of the plan has dispatch ", next);
    if (plan_.placed(plan_.faults)) require_whole(plan_.faults, [] { return "the host reads the faults"; });
  }

 private:
  Bytes bytes(Slot slot) const {
    const Place& place = plan_.arena.places.at(slot);
    return {place.buffer, place.offset, place.offset + plan_.schedule.bound_bytes(slot)};
  }
  bool is_resident(Slot slot) const { return plan_.schedule.slots.at(slot).residence == Residence::resident; }

  void require_inside(Slot slot) const {
    if (!plan_.placed(slot)) return;
    const Bytes here = bytes(slot);
    if (here.buffer >= plan_.arena.buffers.size() || here.end > plan_.arena.buffers[here.buffer])
      ir::fail(full_name(slot), " lies beyond its buffer");
    if (is_resident(slot) != (here.buffer < plan_.arena.resident_buffers))
      ir::fail(full_name(slot), " lies among slots that live otherwise");
  }

  void require_aligned(Slot slot) const {
    if (!plan_.placed(slot)) return;
    const std::size_t offset = plan_.arena.places.at(slot).offset;
    if (offset % alignment_ != 0)
      ir::fail(full_name(slot), " lies at byte ", offset, " of its buffer, not at a multiple of ", alignment_);
  }

  void fill(Slot slot) {
    memory_.give(bytes(slot), slot);
    written_[slot] = true;
  }

  void upload(ir::Value value) {
    fill(plan_.slot(value));
    holds_[plan_.slot(value)] = value;
  }

  void step(std::size_t d) {
    const Dispatch& dispatch = plan_.schedule.dispatches[d];
    if (plan_.barrier_before[d]) {
      read_since_.clear();
      written_since_.clear();
    }
    for (const auto* list : {&dispatch.reads, &dispatch.writes})
      for (const Slot slot : *list)
        if (!plan_.placed(slot)) ir::fail(at(d), "binds ", name(slot), ", which lies nowhere");
    if (dispatch.node < graph_.nodes().size()) require_operands(d);
    for (const Slot slot : dispatch.reads) read(d, slot);
    for (const Slot slot : dispatch.writes) write(d, slot);
    for (const Slot slot : dispatch.reads)
      if (!is_resident(slot)) read_since_.give(bytes(slot), slot);
    for (const Slot slot : dispatch.writes) written_since_.give(bytes(slot), slot);
  }

  void read(std::size_t d, Slot slot) const {
    require_waited(d, "reads ", slot, written_since_, "wrote ");
    require_whole(slot, [&] { return ir::cat(at(d), "reads ", name(slot)); });
  }

  void write(std::size_t d, Slot slot) {
    if (is_resident(slot)) ir::fail(at(d), "writes ", name(slot), ", which is uploaded once");
    require_waited(d, "writes ", slot, written_since_, "wrote ");
    require_waited(d, "writes ", slot, read_since_, "read ");
    const Dispatch& dispatch = plan_.schedule.dispatches[d];
    for (const auto* list : {&dispatch.reads, &dispatch.writes})
      for (const Slot other : *list)
        if (other != slot && bytes(other).meets(bytes(slot)))
          ir::fail(at(d), "writes ", name(slot), " where ", name(other), " lies, which it binds too");
    // A slot that several dispatches write in parts is whole before each of them except the first; so is an operand
    // that is written over.
    if (written_[slot] || is_operand(d, slot))
      require_whole(slot, [&] { return ir::cat(at(d), "writes more of ", name(slot)); });
    fill(slot);
    if (dispatch.node < graph_.nodes().size()) hold_result(d, slot);
  }

  /// Whether an operand of the node lies there.
  bool is_operand(std::size_t d, Slot slot) const {
    const std::size_t n = plan_.schedule.dispatches[d].node;
    return n < graph_.nodes().size() &&
           std::ranges::any_of(graph_.nodes()[n].inputs, [&](ir::Value v) { return plan_.slot(v) == slot; });
  }

  /// Each operand that a dispatch binds has not been written over, but by the node itself.
  void require_operands(std::size_t d) const {
    const Dispatch& dispatch = plan_.schedule.dispatches[d];
    for (const ir::Value v : graph_.nodes()[dispatch.node].inputs) {
      const auto binds = [&](const std::vector<Slot>& slots) { return std::ranges::count(slots, plan_.slot(v)) > 0; };
      if (binds(dispatch.reads) || binds(dispatch.writes))
        require_current(v, dispatch.node, [&] { return ir::cat(at(d), "reads '", graph_.name(v), '\''); });
    }
  }

  /// `node`: whose results may lie there already.
  template <class Doing>
  void require_current(ir::Value value, std::size_t node, Doing doing) const {
    const auto& held = holds_[plan_.slot(value)];
    if (!held || *held == roots_[value] || graph_.producer(*held) == std::optional(node)) return;
    ir::fail(doing(), ", over which '", graph_.name(*held), "' was written in place");
  }

  /// Slots that a dispatch writes hold results of its node, or no value.
  void hold_result(std::size_t d, Slot slot) {
    const ir::Node& node = graph_.nodes()[plan_.schedule.dispatches[d].node];
    const auto lies_here = [&](ir::Value v) { return plan_.slot(v) == slot; };
    const auto result = std::ranges::find_if(node.outputs, lies_here);
    if (result != node.outputs.end())
      holds_[slot] = *result;
    else if (holds_[slot])
      ir::fail(at(d), "writes ", name(slot), ", which is no result of its node");
  }

  void require_waited(std::size_t d, const char* does, Slot slot, const Memory& others, const char* did) const {
    const auto other = others.holder(bytes(slot));
    if (!other) return;
    const std::string what = *other == slot ? "it" : name(*other) + ", which shares its bytes,";
    ir::fail(at(d), does, name(slot), ", and no barrier is between it and one that ", did, what);
  }

  /// `doing` says who wants the slot to be whole.
  template <class Doing>
  void require_whole(Slot slot, Doing doing) const {
    if (is_resident(slot) || plan_.schedule.slots.at(slot).bytes == 0) return;
    if (!plan_.placed(slot)) ir::fail(doing(), ", which lies nowhere");
    const auto stranger = memory_.stranger(bytes(slot), slot);
    if (!stranger) return;
    if (*stranger == Plan::no_slot) ir::fail(doing(), ", which nothing has filled");
    ir::fail(doing(), ", over which ", full_name(*stranger), " was written");
  }

  std::string at(std::size_t d) const { return name_of(plan_, graph_, d) + ' '; }

  /// The value that a slot holds; nothing of scratch.
  std::optional<ir::Value> value_of(Slot slot) const {
    const auto value = std::ranges::find(plan_.slots, slot);
    if (slot == plan_.faults || value == plan_.slots.end()) return std::nullopt;
    return static_cast<ir::Value>(value - plan_.slots.begin());
  }

  /// 'x' for a slot that holds a value, "scratch 12" else.
  std::string name(Slot slot) const {
    if (slot == plan_.faults) return "the faults";
    const auto value = value_of(slot);
    return value ? ir::cat('\'', graph_.name(*value), '\'') : ir::cat("scratch ", slot);
  }

  /// The name of a slot and the node that computes it or has it as scratch, for where no dispatch is named.
  std::string full_name(Slot slot) const {
    std::optional<std::size_t> n;
    if (const auto value = value_of(slot)) {
      n = graph_.producer(*value);
    } else {
      const auto& all = plan_.schedule.dispatches;
      const auto writes = [&](const Dispatch& one) { return std::ranges::count(one.writes, slot) > 0; };
      const auto writer = slot == plan_.faults ? all.end() : std::ranges::find_if(all, writes);
      if (writer != all.end() && writer->node < graph_.nodes().size()) n = writer->node;
    }
    if (!n) return name(slot);
    return ir::cat(name(slot), " of node '", graph_.nodes()[*n].label, "' (", graph_.nodes()[*n].op.name(), ')');
  }

  static constexpr std::size_t widest_load = 16;  // bytes
  static constexpr std::size_t no_node = ~std::size_t{0};

  const Plan& plan_;
  const ir::Graph& graph_;
  const std::size_t alignment_;
  Memory memory_;
  std::vector<bool> written_;                    // by slot
  std::vector<ir::Value> roots_;                 // by value
  std::vector<std::optional<ir::Value>> holds_;  // by slot: what was uploaded or written there last
  Memory read_since_, written_since_;            // the last barrier
};

}  // namespace

void require_consistent(const Plan& plan, const ir::Graph& graph, const device::DeviceFacts& facts) {
  try {
    Walk(plan, graph, facts).run();
  } catch (const ir::Error& error) {
    ir::fail("gpu_vulkan: the plan is wrong: ", error.what());
  }
}

}  // namespace plumb::gpu_vulkan::plan
