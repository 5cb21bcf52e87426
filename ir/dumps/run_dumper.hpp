#pragma once

// Files of what runs computed, of programs that are to be looked into as they are. Executors know who writes these
// files by this interface alone: they depend on no library of files.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ir/executor.hpp"

namespace plumb::ir {

/// The files that an executor has written of the runs of whatever it compiles; by default none.
struct DumpOptions {
  std::string dump = {};        ///< RE[:FILE]: inputs and values whose nodes' labels match; empty: none
  bool dump_stats = false;      ///< JSON of what describes these tensors, in their place
  std::string dump_runs = "0";  ///< which runs of an executable, from 0: "0-3" or "0,5-7"
};

/// The defaults, with what PLUMB_DUMP, PLUMB_DUMP_STATS and PLUMB_DUMP_RUNS say. Throws Error where they say nothing
/// that can be followed, or nobody writes files in this process.
DumpOptions dump_options_from_environment();

/// Throws Error where the options cannot be followed: no regular expression, no runs, or nobody who writes files.
void require_dumpable(const DumpOptions& options);

using CompileWith = std::function<std::unique_ptr<Executable>(const Capture&)>;

/// Compiles a graph by `compile`, with this capture. Where values are to be dumped and the graph has any of them, it
/// is compiled twice: runs that are to be dumped are of an executable that hands these values back, too, and that
/// computes what the other does (Capture::as_plain). Runs whose file cannot be written throw Error. `executor`: how
/// tensors are called, "gpu/NODE". Runs of contexts count, too; such a run is computed once more for its file, on
/// copies of what it reads.
std::unique_ptr<Executable> compile_to_dump(const DumpOptions& options, std::string_view executor, const Graph& graph,
                                            const Capture& capture, const CompileWith& compile);

/// Writes files of runs: ir/formats/dumps/dumped_runs.hpp has one.
class RunDumper {
 public:
  virtual ~RunDumper() = default;
  /// As the functions above, of options that ask for dumps.
  virtual void require_dumpable(const DumpOptions& options) const = 0;
  virtual std::unique_ptr<Executable> compile(const DumpOptions& options, std::string_view executor, const Graph& graph,
                                              const Capture& capture, const CompileWith& compile) const = 0;
};

/// Has it write the files of this process. It must live as long as executors do.
void set_run_dumper(const RunDumper& dumper);

/// Stands before an executable and runs in its place.
class StandIn : public Executable {
 public:
  virtual const Executable& plain() const = 0;
};

/// The executable whose runs are not dumped: the one that is given, or the one that it stands before.
const Executable& undumped(const Executable& executable);

}  // namespace plumb::ir
