// Tensors that stay in an executor's memory: buffers, params, and the memory of one run. docs/spec/residency.md A.
#pragma once

#include <mutex>

#include "ir/executor.hpp"

namespace plumb::ir {

/// Elements of a tensor: from `starts`, as many as `extents`, in unit steps along every axis. Empty: the whole tensor.
struct Box {
  std::vector<std::int64_t> starts = {}, extents = {};
};

/// Bytes of tensors that went from the host to the device, and back.
struct Traffic {
  std::uint64_t up = 0, down = 0;
};

/// Whether memory of the caller's must be used where it is.
enum class Import { require, allow_copy };

/// Options of a compiled graph, beside its params.
struct CompileOptions {
  Capture capture = {};
  /// Params that Params::set may replace, "*" for all. No pass reads their values, which may cost speed.
  std::vector<std::string> replaceable = {};
};

using ParamNames = std::set<std::string, std::less<>>;

/// The params of a graph that are replaceable. Throws Error for a name that no param has, and where such a param is
/// wanted.
ParamNames replaceable_params(const Graph& graph, const CompileOptions& options);

/// Bytes that are contiguous in a tensor and in its box.
struct Stretch {
  std::size_t in_tensor = 0, in_box = 0, bytes = 0;
};

/// The longest stretches of a box, in row-major order. Throws Error, without a name, where the tensor has no such box.
std::vector<Stretch> stretches(const TensorType& type, const Box& box);
/// As above, in place of what `all` holds, and in its memory.
void find_stretches(const TensorType& type, const Box& box, std::vector<Stretch>& all);

/// The type of a box.
TensorType type_of(const TensorType& tensor, const Box& box);

/// Memory of one tensor, as an executor has it. Buffer calls its functions, and checks all that they are given; `dense`
/// is as large as the box.
class Memory {
 public:
  /// Bytes that are contiguous in two tensors.
  struct Piece {
    std::size_t from = 0, to = 0, bytes = 0;
  };

  Memory() = default;
  virtual ~Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Equal for memory that the same executor's runs may use.
  virtual const void* place() const = 0;
  /// Why nobody may write here; "" where one may.
  virtual std::string refusal() const { return ""; }
  /// The bytes, where the host sees them: else Unsupported.
  virtual std::span<std::byte> mapped() = 0;
  virtual void write(std::span<const std::byte> dense, const std::vector<Stretch>& to) = 0;
  virtual void read(std::span<std::byte> dense, const std::vector<Stretch>& from) = 0;
  /// `from` has the same place.
  virtual void copy(Memory& from, const std::vector<Piece>& pieces) = 0;
};

/// A tensor in the memory of one executor. Copies of a Buffer share it; it is freed with the last of them, after the
/// last run that uses it. Runs, reads, writes and copies take effect in the order of the calls: threads that share a
/// buffer which one of them writes see to the order of theirs. Misuse is an Error that names the value and says why.
class Buffer {
 public:
  /// For executors. `name` is what messages call it, `traffic` where its reads and writes are counted; may be null.
  Buffer(std::shared_ptr<Memory> memory, TensorType type, std::string name = "a buffer",
         std::shared_ptr<Traffic> traffic = {});
  /// Other memory of the same tensor; allocates nothing.
  Buffer(std::shared_ptr<Memory> memory, const Buffer& as)
      : memory_(std::move(memory)), label_(as.label_), traffic_(as.traffic_) {}

  const TensorType& type() const { return label_->type; }
  /// Its memory as the host sees it. Whoever uses it waits for the runs that do, by their fences. Throws Unsupported
  /// where the host does not see it.
  MutableView mapped();

  /// `from` has the box's shape, and may go when this returns.
  void write(const TensorView& from, const Box& box = {});
  /// Waits for the runs that write it, and moves the bytes of the box alone.
  void read(const MutableView& into, const Box& box = {}) const;
  /// Boxes of one shape, of two buffers of one executor; the host does not wait. Within one buffer they must not meet.
  void copy_from(const Buffer& from, const Box& source = {}, const Box& target = {});

  const std::shared_ptr<Memory>& memory() const { return memory_; }
  const std::string& name() const { return label_->name; }

 private:
  struct Label {
    TensorType type;
    std::string name;
  };

  void find_stretches_of(const Box& box, std::vector<Stretch>& all) const;
  void require_writable() const;

  std::shared_ptr<Memory> memory_;
  std::shared_ptr<const Label> label_;  ///< copies share it, and allocate nothing
  std::shared_ptr<Traffic> traffic_;
};

/// Params in the memory of one executor, uploaded once for any number of its executables.
class Params {
 public:
  virtual ~Params() = default;
  /// The param with this name, to read: its executables may have made other forms of it.
  virtual Buffer buffer(std::string_view name) const = 0;

  /// Runs that begin later read this value, and those that were submitted before the old one. Throws Error where it has
  /// another type, or where an executable or context lives that was compiled without naming the param as replaceable.
  void set(std::string_view name, const TensorView& value);

  /// For executors: while `program` lives, all params of its graph but these stay as they are.
  void keep_for(std::weak_ptr<const void> program, const Graph& graph, const ParamNames& replaceable);

 protected:
  /// The param exists and has this type.
  virtual void replace(std::string_view name, const TensorView& value) = 0;

 private:
  struct Reader {
    std::weak_ptr<const void> program;
    ParamNames fixed;
  };
  std::mutex reading_;  ///< the readers: one thread may compile with params of which another sets one
  std::vector<Reader> readers_;
};

/// The end of one run.
class Fence {
 public:
  class State {
   public:
    virtual ~State() = default;
    virtual bool ready() noexcept = 0;
    virtual bool wait(double seconds) = 0;
    virtual void get() = 0;
  };

  explicit Fence(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// Whether the run has ended, well or not.
  bool ready() const noexcept { return state_->ready(); }
  /// Waits for at most so long; whether it has ended.
  bool wait(double seconds) const { return state_->wait(seconds); }
  /// Waits for the end, and throws what the run threw.
  void get() const { state_->get(); }

 private:
  std::shared_ptr<State> state_;
};

/// The memory of one run of an executable, which it keeps alive. Values are those of the compiled graph; results are
/// the wanted ones. Inputs and results that are not bound lie in memory of the context's own.
class Context {
 public:
  virtual ~Context() = default;

  /// Runs read the input there, and leave it as it is unless a result is bound to the same buffer.
  virtual void bind(Value input, const Buffer& from) = 0;
  /// Runs write the result there. One buffer for an input and a result asks to write in place: an Error, with the
  /// reason, where the executable cannot.
  virtual void bind_result(Value result, const Buffer& to) = 0;
  /// The next run reads as `input` what this one makes as `result`. The input starts as zeros, or as what is written to
  /// `buffer(input)`.
  virtual void feed(Value result, Value input) = 0;

  /// Begins a run on the inputs that are neither bound nor fed, which are copied before it returns. Waits for the
  /// context's run before. Throws Error where the inputs do not fit; what the run throws, the fence does.
  virtual Fence submit(const Feeds& rest = {}) = 0;

  /// An input's or a result's memory, valid until the next submit. That of a fed input is what the next run reads.
  virtual Buffer buffer(Value value) = 0;

  /// How a fed result becomes the input: "in place", "swap", or "copy: " and why.
  virtual std::string how(Value result) const = 0;
  /// Bytes that `submit` took and that were read and written by `buffer`, since the last submit began.
  virtual Traffic traffic() const = 0;
  /// Whether nodes run on the host, so that `submit` returns after the run.
  virtual bool blocks() const = 0;
};

}  // namespace plumb::ir
