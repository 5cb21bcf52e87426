#pragma once

#include <set>

#include "ref_cpu/cpu_executor.hpp"
#include "ref_cpu/host_memory.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {

/// The operands that kernels are called with: step_calls.hpp.
class StepCalls;

/// The kernel of an op, of those of the IR or of the options; null where there is none.
ErasedKernel kernel_of(const CpuOptions& options, const ir::OpSchema& schema);

/// A graph with its kernels resolved, which any number of runs share: nothing here changes. Params and what follows
/// from no input are kept.
class HostProgram {
 public:
  HostProgram(const ir::Graph& graph, std::shared_ptr<const HostParams> params, const ir::Capture& capture,
              CpuOptions options);

  /// Where values lie between the nodes of one run: in one arena, by lifetime. A value that is written over in place
  /// lies where the last result that is written over it does.
  struct Layout {
    struct FreeArena {
      void operator()(std::byte* data) const { ::operator delete(data, std::align_val_t(ir::AlignedBytes::alignment)); }
    };
    std::unique_ptr<std::byte[], FreeArena> arena;  ///< not zeroed: as little as what a value before left behind
    std::size_t bytes = 0;                          ///< the arena's
    std::vector<ir::Value> homes;                   ///< by value, the one in whose memory it lies
    std::vector<ir::MutableView> places;            ///< in the arena, by value
  };
  /// `may_overwrite_inputs`: they are where a run may change them, unless they are wanted.
  Layout layout(bool may_overwrite_inputs) const;

  /// A node that runs.
  struct Step {
    std::size_t node;
    ErasedKernel kernel;
  };
  const std::vector<Step>& steps() const { return steps_; }

  /// Scratch and threads for the kernels of one run at a time.
  struct Workspace {
    Scratch scratch = {};
    ThreadTeam team = {};
  };

  /// Runs all nodes, and writes their times, by step. Any number of threads may run it, each with calls and a workspace
  /// of its own, which later runs find as this one leaves them.
  void run(StepCalls& calls, Workspace& workspace, std::span<std::uint64_t> nanoseconds) const;

  const ir::Graph& graph() const { return graph_; }
  const std::set<ir::Value>& wanted() const { return wanted_; }
  const std::map<ir::Value, ir::TensorView>& kept() const { return kept_; }
  /// No node of a run makes it.
  bool is_given(ir::Value value) const { return graph_.is_source(value) || kept_.contains(value); }
  const HostParams& params() const { return *params_; }
  /// Whether a run calls code that somebody registered, which has to be called on the thread that asks for the run.
  bool calls_back() const;
  /// As they are before a run, by node, with what a layout writes over.
  std::vector<ir::NodeReport> reports(const Layout& layout) const;

  std::uint64_t identity() const;
  /// Bytes of constants, and of params that nobody else holds.
  std::uint64_t bytes() const;

 private:
  void choose_steps(bool all);
  void compute_constants();
  bool lasts(ir::Value value, bool may_overwrite_inputs) const;
  void plan_arena(Layout& layout, bool may_overwrite_inputs) const;
  void run_step(const Step& step, Call& call) const;

  ir::Graph graph_;
  CpuOptions options_;
  std::shared_ptr<const HostParams> params_;
  std::set<ir::Value> wanted_;
  std::map<ir::Value, ir::Tensor> constants_;
  std::map<ir::Value, ir::TensorView> kept_;  ///< params and constants
  std::vector<Step> steps_;
  std::vector<ir::NodeReport> reports_;
};

}  // namespace plumb::ref_cpu
