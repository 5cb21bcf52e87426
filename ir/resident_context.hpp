// Contexts of executors: what is bound and fed, which memory follows from that, and the checks of both.
#pragma once

#include <array>
#include <exception>

#include "ir/residency.hpp"

namespace plumb::ir {

/// A place of a program in which inputs and wanted values lie. Values lie together where one is the other in another
/// shape, or is written over it in place; then all wanted ones have the bytes that a run leaves there.
struct Cell {
  std::size_t bytes = 0;
  std::optional<Value> input = {};
  std::vector<Value> results = {};
  bool is_written = false;                      ///< nodes write there: an input does not survive a run
  bool is_for_reading = false;                  ///< small, written, and read by nothing but the caller
  bool is_known = false;                        ///< no run makes it: params, constants, empty tensors
  std::span<const std::byte> known_bytes = {};  ///< as long as the program lives
};

using Memories = std::vector<std::shared_ptr<Memory>>;

struct MemoryCopy {
  std::shared_ptr<Memory> from, to;
  std::size_t bytes;
};

/// The memory of one run.
struct Arrangement {
  Memories homes;                       ///< by cell
  std::vector<MemoryCopy> before;       ///< inputs that would not survive where they are bound
  std::vector<MemoryCopy> after, last;  ///< results to where they are bound and fed; the last behind all others
  std::vector<Value> uploads;           ///< inputs that `submit` is given
};

/// Fences of runs that have ended when their fence is made. One that nobody has any more serves a later run.
class EndedRuns {
 public:
  /// Runs at once: an Error is the fence's.
  template <class Run>
  Fence of(const Run& run) {
    std::exception_ptr error;
    try {
      run();
    } catch (const Error&) {
      error = std::current_exception();
    }
    return ended(std::move(error));
  }

 private:
  class Ended;
  Fence ended(std::exception_ptr error);

  std::array<std::shared_ptr<Ended>, 3> ends_;  ///< those of the last runs, in turn
  std::size_t next_ = 0;
};

/// The executor's side is how memory is allocated and how a run is begun on an arrangement of it.
class ResidentContext : public Context {
 public:
  /// `place` as Memory::place. A value is in one cell, and every input and every wanted value is in one.
  ResidentContext(std::shared_ptr<const Graph> graph, std::vector<Cell> cells, const void* place);

  void bind(Value input, const Buffer& from) final;
  void bind_result(Value result, const Buffer& to) final;
  void feed(Value result, Value input) final;
  Fence submit(const Feeds& rest) final;
  Buffer buffer(Value value) final;
  std::string how(Value result) const final;
  Traffic traffic() const final { return *traffic_; }

 protected:
  /// Zeros.
  virtual std::shared_ptr<Memory> allocate(std::size_t bytes) = 0;
  /// For a cell that is for reading: zeros, where reading them is fast.
  virtual std::shared_ptr<Memory> allocate_for_reading(std::size_t bytes) { return allocate(bytes); }
  /// Why the result does not lie where the input does.
  virtual std::string why_apart(Value input, Value result) const = 0;
  /// Waits for the run before, whose error is its fence's.
  virtual void settle() = 0;
  /// Begins a run. Runs alternate between two arrangements where results are swapped for inputs; `turn` is 0 or 1.
  virtual Fence begin(const Arrangement& arrangement, std::size_t turn, const Feeds& rest) = 0;
  /// The arrangements are others from here on.
  virtual void rearranged() = 0;

  const Graph& graph() const { return *graph_; }
  const std::vector<Cell>& cells() const { return cells_; }
  std::size_t cell_of(Value value) const { return cell_of_.at(value); }
  Traffic& count() { return *traffic_; }

 private:
  std::string name(Value value) const { return cat("'", graph_->name(value), "'"); }
  std::shared_ptr<Memory> bound(const std::map<Value, Buffer>& values, Value value) const;
  std::shared_ptr<Memory> bound_input(Value input) const { return bound(bound_inputs_, input); }
  std::shared_ptr<Memory> bound_result(Value result) const { return bound(bound_results_, result); }
  bool is_fed(Value input) const { return feeds_.contains(input); }
  bool is_fed_within(const Cell& cell) const;
  bool is_fed_on(const Cell& cell) const;
  void require_input(Value value) const;
  void require_result(Value value) const;
  void require_fits(const std::string& name, const TensorType& type, const Buffer& buffer) const;
  void require_no_conflict() const;
  void require_no_conflict_at(Value input) const;
  template <class Map, class Key, class Mapped>
  void change(Map& map, Key key, Mapped mapped);

  std::string why_no_swap(Value result, Value input) const;
  bool takes_part(std::size_t cell, Value input) const;
  const std::shared_ptr<Memory>& own(std::size_t cell);
  std::shared_ptr<Memory> home(std::size_t cell);
  std::shared_ptr<Memory> fed_apart(Value input);
  std::map<Value, std::shared_ptr<Memory>> fed_memories();
  std::shared_ptr<Memory> next(Value input, const Arrangement& arrangement);
  void arrange();
  void carry(const Arrangement& arrangement);
  Arrangement arrangement(Memories homes);
  void split_chains(Arrangement& arrangement);
  std::size_t last_turn() const { return has_run_ && !swaps_.empty() ? 1 - turn_ : turn_; }

  std::shared_ptr<const Graph> graph_;
  std::vector<Cell> cells_;
  std::map<Value, std::size_t> cell_of_;
  const void* place_;
  std::map<Value, Buffer> bound_inputs_, bound_results_;
  std::map<Value, Value> feeds_;  ///< by input, the result
  Memories own_;                  ///< by cell; null until it is needed
  std::map<Value, std::shared_ptr<Memory>> fed_apart_;
  std::map<Value, std::shared_ptr<Memory>> carried_;  ///< by fed input, what is read as it once all is arranged again
  std::vector<std::pair<std::size_t, std::size_t>> swaps_;  ///< cells
  std::vector<Arrangement> arrangements_;                   ///< by turn; none until it is needed
  std::size_t turn_ = 0;                                    ///< the next run's
  bool has_run_ = false;                                    ///< by these swaps
  std::shared_ptr<Traffic> traffic_ = std::make_shared<Traffic>();
  std::map<Value, Buffer> shown_;  ///< buffers that were handed out, without memory
  OneAtATime calls_{"a context is for one at a time, and each thread makes its own"};
};

}  // namespace plumb::ir
