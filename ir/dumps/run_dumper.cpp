// Passes what is asked of dumps on to who writes files.
#include "ir/dumps/run_dumper.hpp"

#include <atomic>
#include <cstdlib>

#include "ir/error.hpp"

namespace plumb::ir {
namespace {

std::atomic<const RunDumper*> dumper = nullptr;

const RunDumper& who_dumps() {
  const RunDumper* const who = dumper.load(std::memory_order_acquire);
  require(who != nullptr,
          "PLUMB_DUMP: nobody writes files in this program, which has not called plumb::ir::formats::dump_runs() of "
          "plumbline::ir_formats");
  return *who;
}

}  // namespace

void set_run_dumper(const RunDumper& who) { dumper.store(&who, std::memory_order_release); }

DumpOptions dump_options_from_environment() {
  DumpOptions options;
  if (const char* const text = std::getenv("PLUMB_DUMP")) options.dump = text;
  if (const char* const text = std::getenv("PLUMB_DUMP_RUNS")) options.dump_runs = text;
  if (const char* const text = std::getenv("PLUMB_DUMP_STATS")) {
    const std::string_view given = text;
    options.dump_stats = given == "true" || given == "1";
    require(options.dump_stats || given == "false" || given == "0", "PLUMB_DUMP_STATS must be true or false, got '",
            given, "'");
  }
  require_dumpable(options);
  return options;
}

void require_dumpable(const DumpOptions& options) {
  if (!options.dump.empty()) who_dumps().require_dumpable(options);
}

std::unique_ptr<Executable> compile_to_dump(const DumpOptions& options, std::string_view executor, const Graph& graph,
                                            const Capture& capture, const CompileWith& compile) {
  return options.dump.empty() ? compile(capture) : who_dumps().compile(options, executor, graph, capture, compile);
}

const Executable& undumped(const Executable& executable) {
  const auto* const stands_in = dynamic_cast<const StandIn*>(&executable);
  return stands_in != nullptr ? stands_in->plain() : executable;
}

}  // namespace plumb::ir
