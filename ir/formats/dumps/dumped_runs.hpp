#pragma once

namespace plumb::ir::formats {

/// From here on executors of this process that are asked for dumps (ir/dumps/run_dumper.hpp) write them. Each run makes
/// a file, by OutputFile: FILE, or plumb_dump.h5 or .json; "-2" and so on behind its stem tells the executables of a
/// process apart, ".run3" the runs where several are wanted.
void dump_runs();

}  // namespace plumb::ir::formats
