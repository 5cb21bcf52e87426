// Arranges the memory of runs by what is bound and fed, and refuses what does not go together.
#include "ir/resident_context.hpp"

#include <algorithm>

namespace plumb::ir {

class EndedRuns::Ended final : public Fence::State {
 public:
  void become(std::exception_ptr error) { error_ = std::move(error); }
  bool ready() noexcept override { return true; }
  bool wait(double) override { return true; }
  void get() override {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

Fence EndedRuns::ended(std::exception_ptr error) {
  auto& end = ends_[next_++ % ends_.size()];
  if (end == nullptr || end.use_count() > 1) end = std::make_shared<Ended>();  // Somebody has the fence of that run.
  end->become(std::move(error));
  return Fence(end);
}

ResidentContext::ResidentContext(std::shared_ptr<const Graph> graph, std::vector<Cell> cells, const void* place)
    : graph_(std::move(graph)), cells_(std::move(cells)), place_(place), own_(cells_.size()) {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    if (cells_[c].input) cell_of_.emplace(*cells_[c].input, c);
    for (const Value v : cells_[c].results) cell_of_.emplace(v, c);
  }
}

std::shared_ptr<Memory> ResidentContext::bound(const std::map<Value, Buffer>& values, Value value) const {
  const auto found = values.find(value);
  return found == values.end() ? nullptr : found->second.memory();
}

void ResidentContext::require_input(Value value) const {
  require(value < graph_->inputs().size(), graph_->defined(value) ? name(value) : cat("value ", value),
          " is no input of the graph");
}

void ResidentContext::require_result(Value value) const {
  const auto cell = cell_of_.find(value);
  const bool is_wanted = cell != cell_of_.end() && std::ranges::count(cells_[cell->second].results, value) > 0;
  require(is_wanted, graph_->defined(value) ? name(value) : cat("value ", value),
          " is no result: the graph was not compiled for it");
}

void ResidentContext::require_fits(const std::string& name, const TensorType& type, const Buffer& buffer) const {
  require(buffer.type() == type, name, " is ", type, ", and was given a buffer of ", buffer.type());
  require(buffer.memory()->place() == place_, name, " was given a buffer of another executor");
}

/// Changes what is bound or fed; not where that does not go together.
template <class Map, class Key, class Mapped>
void ResidentContext::change(Map& map, Key key, Mapped mapped) {
  const OneAtATime::Run call(calls_);
  const Map before = map;
  const auto carried = arrangements_.empty() ? carried_ : fed_memories();
  map.insert_or_assign(key, std::move(mapped));
  try {
    require_no_conflict();
  } catch (...) {
    map = before;
    throw;
  }
  carried_ = carried;
  if (turn_ == 1)  // This saves the copy of what lies in a cell of its own.
    for (const auto& [one, other] : swaps_) std::swap(own_[one], own_[other]);
  turn_ = 0;
  arrangements_.clear();
}

/// Where the next run reads what it is fed.
std::map<Value, std::shared_ptr<Memory>> ResidentContext::fed_memories() {
  std::map<Value, std::shared_ptr<Memory>> all;
  for (const auto& [input, result] : feeds_)
    if (!bound_inputs_.contains(input)) all.emplace(input, next(input, arrangements_[turn_]));
  return all;
}

/// The memory that is read as an input which is not bound.
std::shared_ptr<Memory> ResidentContext::next(Value input, const Arrangement& arrangement) {
  auto memory = fed_apart(input);
  return memory != nullptr ? memory : arrangement.homes[cell_of(input)];
}

/// The next run reads what it would have read before anything else was bound. All are taken away before any is put in
/// its place, where another may have been.
void ResidentContext::carry(const Arrangement& arrangement) {
  std::vector<MemoryCopy> moves;
  for (const auto& [input, from] : carried_) {
    if (bound_inputs_.contains(input)) continue;
    const std::size_t bytes = cells_[cell_of(input)].bytes;
    auto to = next(input, arrangement);
    if (to == from || bytes == 0) continue;
    moves.push_back({allocate(bytes), std::move(to), bytes});
    moves.back().from->copy(*from, {{0, 0, bytes}});
  }
  for (const MemoryCopy& one : moves) one.to->copy(*one.from, {{0, 0, one.bytes}});
  carried_.clear();
}

void ResidentContext::bind(Value input, const Buffer& from) {
  require_input(input);
  require_fits(cat("input ", name(input)), graph_->type(input), from);
  change(bound_inputs_, input, from);
}

void ResidentContext::bind_result(Value result, const Buffer& to) {
  require_result(result);
  require_fits(cat("result ", name(result)), graph_->type(result), to);
  const std::string refusal = to.memory()->refusal();
  require(refusal.empty(), "result ", name(result), " was given a buffer that is not written: ", refusal);
  change(bound_results_, result, to);
}

void ResidentContext::feed(Value result, Value input) {
  require_result(result);
  require_input(input);
  require(graph_->type(result) == graph_->type(input), "input ", name(input), " is ", graph_->type(input),
          ", and cannot be fed ", name(result), ", which is ", graph_->type(result));
  change(feeds_, input, result);
}

void ResidentContext::require_no_conflict() const {
  for (const auto& [input, buffer] : bound_inputs_) require_no_conflict_at(input);
  for (auto a = bound_results_.begin(); a != bound_results_.end(); ++a)
    for (auto b = std::next(a); b != bound_results_.end(); ++b)
      require(a->second.memory() != b->second.memory(), "one buffer is bound as result ", name(a->first),
              " and as result ", name(b->first));
}

void ResidentContext::require_no_conflict_at(Value input) const {
  const Buffer& buffer = bound_inputs_.at(input);
  const std::size_t here = cell_of(input);
  const auto fed = feeds_.find(input);
  const std::string refusal = buffer.memory()->refusal();
  require(fed == feeds_.end() || refusal.empty(), "input ", name(input),
          " is fed where it is bound, in a buffer that is not written: ", refusal);
  bool is_overwritten = fed != feeds_.end();
  for (const auto& [result, to] : bound_results_) {
    if (to.memory() != buffer.memory()) continue;
    require(cell_of(result) == here, "one buffer is bound as input ", name(input), " and as result ", name(result),
            ", which is not written in place: ", cell_of(result) == here ? "" : why_apart(input, result));
    require(fed == feeds_.end() || cell_of(fed->second) == here, "input ", name(input), " is fed ",
            fed == feeds_.end() ? "" : name(fed->second), ", and bound to the buffer of result ", name(result));
    is_overwritten = is_overwritten || cells_[here].is_written;
  }
  for (const auto& [other, from] : bound_inputs_)
    require(other == input || from.memory() != buffer.memory() || !is_overwritten, "input ", name(other),
            " is bound to the buffer of input ", name(input), ", which a run writes");
}

bool ResidentContext::is_fed_within(const Cell& cell) const {
  if (!cell.input) return false;
  const auto fed = feeds_.find(*cell.input);
  return fed != feeds_.end() && &cells_[cell_of(fed->second)] == &cell;
}

bool ResidentContext::is_fed_on(const Cell& cell) const {
  return std::ranges::any_of(feeds_, [&](const auto& entry) { return &cells_[cell_of(entry.second)] == &cell; });
}

/// Whether the cell is an end of any other feed, or anything there is bound.
bool ResidentContext::takes_part(std::size_t cell, Value input) const {
  const auto is_here = [&](const auto& entry) { return cell_of(entry.first) == cell; };
  return std::ranges::any_of(bound_inputs_, is_here) || std::ranges::any_of(bound_results_, is_here) ||
         std::ranges::any_of(feeds_, [&](const auto& feed) {
           return feed.first != input && (is_here(feed) || cell_of(feed.second) == cell);
         });
}

/// Why a result that lies elsewhere is not swapped for the input; "" where it is.
std::string ResidentContext::why_no_swap(Value result, Value input) const {
  if (bound_inputs_.contains(input)) return name(input) + " is bound";
  if (bound_results_.contains(result)) return name(result) + " is bound";
  if (cells_[cell_of(result)].is_known) return "no run makes " + name(result);
  for (const Value v : {result, input})
    if (takes_part(cell_of(v), input)) return cat("what lies where ", name(v), " does is bound or fed, too");
  return "";
}

std::string ResidentContext::how(Value result) const {
  require_result(result);
  std::string all;
  for (const auto& [input, from] : feeds_) {
    if (from != result) continue;
    const std::string why = cell_of(input) == cell_of(result) ? "" : why_no_swap(result, input);
    all += all.empty() ? "" : "; ";
    all += cell_of(input) == cell_of(result) ? "in place" : why.empty() ? "swap" : "copy: " + why;
  }
  require(!all.empty(), name(result), " is fed to no input");
  return all;
}

const std::shared_ptr<Memory>& ResidentContext::own(std::size_t cell) {
  if (own_[cell] == nullptr) {
    const Cell& of = cells_[cell];
    auto memory = of.is_for_reading && !is_fed_on(of) ? allocate_for_reading(of.bytes) : allocate(of.bytes);
    const auto bytes = of.known_bytes;
    if (!bytes.empty()) memory->write(bytes, {{0, 0, bytes.size()}});
    own_[cell] = std::move(memory);
  }
  return own_[cell];
}

std::shared_ptr<Memory> ResidentContext::home(std::size_t cell) {
  const Cell& here = cells_[cell];
  const auto input = here.input ? bound_input(*here.input) : nullptr;
  const bool is_passed_on =
      std::ranges::any_of(here.results, [&](Value v) { return input != nullptr && bound_result(v) == input; });
  if (input != nullptr && (!here.is_written || is_passed_on || is_fed_within(here))) return input;
  const bool is_filled_elsewhere =
      input != nullptr || here.is_known || (here.input && is_fed(*here.input) && !is_fed_within(here));
  if (!is_filled_elsewhere)
    for (const Value v : here.results)
      if (auto to = bound_result(v)) return to;
  return own(cell);
}

Arrangement ResidentContext::arrangement(Memories homes) {
  Arrangement made;
  made.homes = std::move(homes);
  const auto copy = [&](std::vector<MemoryCopy>& to_list, std::size_t cell, std::shared_ptr<Memory> from,
                        std::shared_ptr<Memory> to) {
    if (from != to && cells_[cell].bytes > 0) to_list.push_back({std::move(from), std::move(to), cells_[cell].bytes});
  };
  for (Value v = 0; v < graph_->inputs().size(); ++v) {
    const std::size_t cell = cell_of(v);
    if (const auto from = bound_input(v) != nullptr ? bound_input(v) : fed_apart(v))
      copy(made.before, cell, from, made.homes[cell]);
    else if (!is_fed(v))
      made.uploads.push_back(v);
  }
  for (const auto& [result, to] : bound_results_) {
    const std::size_t cell = cell_of(result);
    copy(made.after, cell, made.homes[cell], to.memory());
  }
  for (const auto& [input, result] : feeds_) {
    const std::size_t from = cell_of(result), to = cell_of(input);
    if (from == to || why_no_swap(result, input).empty()) continue;
    auto target = bound_input(input) != nullptr ? bound_input(input) : fed_apart(input);
    copy(made.after, from, made.homes[from], target != nullptr ? std::move(target) : made.homes[to]);
  }
  split_chains(made);
  return made;
}

/// Memory for an input that is fed by a copy, where a result of the run before lies where the input does; else null.
std::shared_ptr<Memory> ResidentContext::fed_apart(Value input) {
  const auto fed = feeds_.find(input);
  if (fed == feeds_.end() || bound_inputs_.contains(input) || cells_[cell_of(input)].results.empty()) return nullptr;
  if (cell_of(fed->second) == cell_of(input) || why_no_swap(fed->second, input).empty()) return nullptr;
  auto& memory = fed_apart_[input];
  if (memory == nullptr) memory = allocate(cells_[cell_of(input)].bytes);
  return memory;
}

/// A copy to where another begins goes by way of other memory, and there behind all others.
void ResidentContext::split_chains(Arrangement& made) {
  const std::vector<MemoryCopy> all = made.after;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::ranges::none_of(all, [&](const MemoryCopy& other) { return other.from == all[i].to; })) continue;
    made.after[i].to = allocate(all[i].bytes);
    made.last.push_back({made.after[i].to, all[i].to, all[i].bytes});
  }
}

/// Changes nothing where there is no memory.
void ResidentContext::arrange() {
  if (!arrangements_.empty()) return;
  Memories homes;
  for (std::size_t c = 0; c < cells_.size(); ++c) homes.push_back(home(c));
  std::vector<std::pair<std::size_t, std::size_t>> swaps;
  for (const auto& [input, result] : feeds_)
    if (cell_of(input) != cell_of(result) && why_no_swap(result, input).empty())
      swaps.emplace_back(cell_of(input), cell_of(result));
  std::vector<Arrangement> made{arrangement(homes)};
  if (!swaps.empty()) {
    for (const auto& [one, other] : swaps) std::swap(homes[one], homes[other]);
    made.push_back(arrangement(homes));
  }
  rearranged();
  carry(made.front());
  has_run_ = has_run_ && swaps == swaps_;
  swaps_ = std::move(swaps);
  arrangements_ = std::move(made);
}

Fence ResidentContext::submit(const Feeds& rest) {
  const OneAtATime::Run call(calls_);
  settle();
  arrange();
  for (const auto& [fed, tensor] : rest) {
    const auto value = graph_->find(fed);
    require(value && *value < graph_->inputs().size(), "'", fed, "' was given, and is no input of the graph");
    require(!bound_inputs_.contains(*value), "input '", fed, "' is bound, and was given a value as well");
    require(!is_fed(*value), "input '", fed, "' is fed, and was given a value as well");
  }
  *traffic_ = {};
  for (const Value v : arrangements_[turn_].uploads) traffic_->up += ir::fed(*graph_, rest, v).bytes().size();
  Fence fence = begin(arrangements_[turn_], turn_, rest);
  has_run_ = true;
  if (!swaps_.empty()) turn_ = 1 - turn_;
  return fence;
}

Buffer ResidentContext::buffer(Value value) {
  const OneAtATime::Run call(calls_);
  const auto cell = cell_of_.find(value);
  if (cell == cell_of_.end())
    fail(graph_->defined(value) ? name(value) : cat("value ", value), " is neither an input nor a result");
  arrange();
  const bool is_input = value < graph_->inputs().size();
  auto memory = is_input ? bound_input(value) : bound_result(value);
  if (memory == nullptr && is_input && is_fed(value)) memory = next(value, arrangements_[turn_]);
  if (memory == nullptr) memory = arrangements_[last_turn()].homes[cell->second];
  auto shown = shown_.find(value);
  if (shown == shown_.end())
    shown = shown_.try_emplace(value, nullptr, graph_->type(value), name(value), traffic_).first;
  return {std::move(memory), shown->second};
}

}  // namespace plumb::ir
