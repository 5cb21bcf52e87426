#pragma once

// Files of what runs computed, of programs that are to be looked into as they are.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ir/executor.hpp"

namespace plumb::ir::formats {

/// The files that an executor writes of the runs of whatever it compiles; by default none.
struct DumpOptions {
  std::string dump = {};        ///< RE[:FILE]: inputs and values whose nodes' labels match; empty: none
  bool dump_stats = false;      ///< JSON of what describes these tensors, in their place
  std::string dump_runs = "0";  ///< which runs of an executable: RunList
};

/// The defaults, with what PLUMB_DUMP, PLUMB_DUMP_STATS and PLUMB_DUMP_RUNS say. Throws Error where they say nothing
/// that can be followed.
DumpOptions dump_options_from_environment();

/// Throws Error where the options cannot be followed: no regular expression, or no runs.
void require_dumpable(const DumpOptions& options);

/// Compiles a graph by `compile`, with this capture. Where values are to be dumped and the graph has any of them, it
/// is compiled twice: runs that are to be dumped are of an executable that hands these values back, too, and that
/// computes what the other does (Capture::as_plain). Each makes a file, by OutputFile: FILE, or plumb_dump.h5 or .json;
/// "-2" and so on behind its stem tells the executables of a process apart, ".run3" the runs where several are wanted.
/// Runs whose file cannot be written throw Error. `executor`: how tensors are called, "gpu/NODE".
/// Runs of contexts count, too; such a run is computed once more for its file, on copies of what it reads.
std::unique_ptr<Executable> compile_to_dump(const DumpOptions& options, std::string_view executor, const Graph& graph,
                                            const Capture& capture,
                                            const std::function<std::unique_ptr<Executable>(const Capture&)>& compile);

/// The executable whose runs are not dumped: the one that is given, or the one that it stands before.
const Executable& undumped(const Executable& executable);

}  // namespace plumb::ir::formats
