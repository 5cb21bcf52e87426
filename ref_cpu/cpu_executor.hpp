// The CPU executor: the truth on widened graphs, an honest implementation on graphs as they are.
#pragma once

#include <unordered_map>

#include "ir/dumps/run_dumper.hpp"
#include "ir/executor.hpp"

namespace plumb::ref_cpu {

struct Call;
class HostQueue;

/// A kernel for any op, which finds its attributes in it.
using ErasedKernel = void (*)(const ir::Op&, Call&);

struct CpuOptions {
  int threads = 0;  ///< at most this many; 0 means one for every core
  /// Kernels of ops that are not of the IR: of those that a program defines for graphs of its own making.
  std::unordered_map<const ir::OpSchema*, ErasedKernel> extra_kernels = {};
  ir::DumpOptions dumps = {};  ///< files of what runs compute
};

/// The defaults, with what the environment says of dumps: PLUMB_DUMP and its kin.
CpuOptions options_from_environment();

/// Runs a graph on the host. As it is, an honest implementation at the graph's
/// own precision; on a widened graph, the ground truth. Results do not depend on
/// the number of threads. Several threads may compile at once, share executables by `run` and `run_into`, and use
/// several contexts. What is submitted runs in order on a thread of the executor's own, which begins with the first
/// `submit` and ends with the executor and all that it compiled.
class CpuExecutor final : public ir::Executor {
 public:
  explicit CpuExecutor(CpuOptions options = {});

  std::string_view name() const override { return "ref_cpu"; }
  bool has_kernel(const ir::OpSchema& schema) const override;
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;
  ir::Buffer allocate(const ir::TensorType& type) override;
  ir::Buffer import(ir::MutableView memory, std::shared_ptr<void> owner, ir::Import how) override;
  std::shared_ptr<ir::Params> hold(const ir::Feeds& params) override;

 private:
  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options) override;

  CpuOptions options_;
  std::shared_ptr<HostQueue> queue_;
};

}  // namespace plumb::ref_cpu
