#pragma once

#include <atomic>
#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "ir/graph.hpp"
#include "ir/sums.hpp"

namespace plumb::ir {

/// Tensors that stay in an executor's memory: ir/residency.hpp.
class Buffer;
class Context;
class Params;
struct CompileOptions;
enum class Import;

/// Tensors by the name of the input or param they are for.
using Feeds = std::map<std::string, Tensor, std::less<>>;
using Tensors = std::map<Value, Tensor>;

/// Where a node of the compiled graph runs.
enum class Placement {
  gpu,
  cpu,
  fused,
  elided,
  foreign,  ///< wherever a candidate that is not ours computes
};

constexpr auto enum_names(Placement) {
  return std::array<std::string_view, 5>{"gpu", "cpu", "fused", "elided", "foreign"};
}

/// The placement, kernel and time of one node of the graph that was compiled.
struct NodeReport {
  Placement placement = Placement::cpu;
  std::string kernel;                        ///< the chosen candidate; of a fused node, the label it was fused into
  std::string reason;                        ///< why it runs there: refusals of the candidates before, one a line
  std::optional<std::uint64_t> nanoseconds;  ///< time in the last run, where it was measured
  std::string tile = {};                     ///< tile of one workgroup, "128x128x32"; empty for kernels without tiles
  std::vector<Sum> sums = {};                ///< how the kernel adds, one for each sum of the op; empty without sums
  bool marked_bools = false;                 ///< its bools were neither false nor true before it wrote them
};

/// Which values a run hands back.
struct Capture {
  std::vector<Value> wanted;  ///< these must survive every pass
  bool surviving = false;     ///< and every other value that is still computed
  /// Passes see the wanted values alone, and what survives them is copied out besides: what runs is what runs without
  /// the copies.
  bool as_plain = false;
  /// Bools are neither false nor true until their node writes them, where the executor can see to that: one that nobody
  /// writes is seen then.
  bool marks_bools = false;
  /// These of the surviving values are looked at and no others, where that is said: an executor to which every value
  /// costs something may leave out the rest.
  std::optional<std::set<Value>> of_interest = {};
  bool is_of_interest(Value value) const { return !of_interest || of_interest->contains(value); }
};

/// Lets one run in at a time: another that comes while it lasts, from another thread, throws Error.
class OneAtATime {
 public:
  /// `rule`: what that Error says of who is for one at a time.
  explicit OneAtATime(std::string_view rule = "an executable is for one at a time, and each thread compiles its own")
      : rule_(rule) {}

  class Run {
   public:
    explicit Run(OneAtATime& of);
    ~Run() { of_.runs_.clear(std::memory_order_release); }
    Run(const Run&) = delete;

   private:
    OneAtATime& of_;
  };

 private:
  const std::string_view rule_;
  std::atomic_flag runs_ = ATOMIC_FLAG_INIT;
};

/// A graph made ready for many runs. Threads run it at once where the executor says so; else a second run that begins
/// during the first throws Error.
class Executable {
 public:
  virtual ~Executable() = default;

  /// Runs on these inputs. Throws Error when they do not fit or an index is out of
  /// range, DeviceError when the device fails.
  virtual Tensors run(const Feeds& inputs) = 0;

  /// As run, into the results of an earlier run: tensors of the right type are written over
  /// where the executor can, so that many runs allocate once. After an error they hold anything.
  virtual void run_into(const Feeds& inputs, Tensors& results) { results = run(inputs); }

  /// One report for each node of the graph that was compiled, in its order.
  virtual std::vector<NodeReport> nodes() const = 0;

  /// Memory for runs whose tensors stay with the executor; any number of contexts run one executable. It outlives the
  /// executable. Unless an executor offers it, this throws Unsupported, as the functions below do.
  virtual std::unique_ptr<Context> context();

  /// Whether a context of it lives, or a fence of one. These keep the memory that they share with it.
  virtual bool has_contexts() const;

  /// Bytes of tensors that are freed with it: of its own runs, of constants, and of params that nobody else holds or
  /// that passes made other forms of. Contexts have their own, which do not count.
  virtual std::uint64_t bytes() const;

  /// Equal for executables that compute the same bits from the same inputs and params.
  virtual std::uint64_t identity() const;
};

/// Runs graphs. Each executor is a folder of its own: ref_cpu, gpu_vulkan.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual std::string_view name() const = 0;
  virtual bool has_kernel(const OpSchema& schema) const = 0;

  /// Why it cannot run this node of the graph; "" where it can, or where compile says so.
  virtual std::string refusal(const Graph& /*graph*/, const Node& /*node*/) const { return ""; }

  /// Decides everything that can be decided before the inputs are known. The
  /// params are copied. Throws Unsupported, naming the nodes, when the executor
  /// cannot run the graph; Error when params are missing or do not fit.
  virtual std::unique_ptr<Executable> compile(const Graph& graph, const Feeds& params, const Capture& capture) = 0;

  /// A tensor of zeros in this executor's memory. Unless an executor offers it, this and what follows throw
  /// Unsupported.
  virtual Buffer allocate(const TensorType& type);

  /// Params that several executables of this executor share.
  virtual std::shared_ptr<Params> hold(const Feeds& params);

  /// A tensor in memory of the caller's, which `owner` keeps: what either writes there the other sees. Where that
  /// cannot be it is Unsupported, or a copy.
  virtual Buffer import(MutableView memory, std::shared_ptr<void> owner, Import how);

  /// compile with params of `hold`. A template, so that a call whose params are {} means the other compile.
  template <std::convertible_to<std::shared_ptr<Params>> Held>
  std::unique_ptr<Executable> compile(const Graph& graph, Held params, const CompileOptions& options) {
    return compile_held(graph, std::move(params), options);
  }

  /// compile and run once; `feeds` holds inputs and params.
  Tensors run(const Graph& graph, const Feeds& feeds, std::vector<Value> wanted) {
    return compile(graph, feeds, {std::move(wanted)})->run(feeds);
  }

 protected:
  virtual std::unique_ptr<Executable> compile_held(const Graph& graph, std::shared_ptr<Params> params,
                                                   const CompileOptions& options);
};

/// A graph of one node that has this label. Its operands are called "x0", "x1", ..., params where `is_param`
/// says so and else inputs; its outputs are the results.
Graph graph_of(const Op& op, Types operands, const std::string& label = "y", const std::vector<bool>& is_param = {});

/// The outputs and the report of one op that ran alone.
struct OpRun {
  std::vector<Tensor> outputs;
  NodeReport report;
};

/// Runs one op alone on these operands: the graph that graph_of makes of it.
OpRun run_op_with_report(Executor& executor, const Op& op, const std::vector<Tensor>& operands,
                         const std::string& label = "y", const std::vector<bool>& is_param = {});

/// The outputs of one op alone on these operands.
std::vector<Tensor> run_op(Executor& executor, const Op& op, const std::vector<Tensor>& operands);

/// The tensor fed for source `value`, checked against its type.
const Tensor& fed(const Graph& graph, const Feeds& feeds, Value value);

}  // namespace plumb::ir
