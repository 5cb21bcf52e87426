// `plumb merge`: results files of shares, of machines or of earlier versions as one.
#include "parity/results/merge/merge.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::cli {
namespace {

struct MergeFlags {
  std::vector<std::string> files;
  std::string output, one_per_key = "all";
  bool partial = false, force = false;
};

int run_merge(const MergeFlags& flags) {
  const std::vector<std::filesystem::path> inputs(flags.files.begin(), flags.files.end());
  const results::Merged merged =
      results::merge(inputs, flags.output,
                     {.one_per_key = ir::enum_value<results::OnePerKey>(flags.one_per_key).value(),
                      .partial = flags.partial,
                      .replace_any = flags.force,
                      .argv = show::command_line()});
  std::cout << core::terminal::counted(inputs.size(), "file") << ", " << core::terminal::counted(merged.runs, "run");
  if (merged.repeated != 0) std::cout << ", " << merged.repeated << " found again and taken once";
  std::cout << '\n';
  for (const std::string& line : merged.missing) std::cerr << line << '\n';
  std::cerr << "results: " << flags.output << '\n';
  return static_cast<int>(merged.missing.empty() ? core::ExitCode::passed : core::ExitCode::failed);
}

}  // namespace

Action merge(CLI::App& app) {
  const auto flags = std::make_shared<MergeFlags>();
  app.add_option("results", flags->files, "results files (HDF5) of plumb verify or plumb merge")->required();
  flags::add_output(app, "-o,--output", flags->output, "write all of their runs, each once, to this results file")
      ->required();
  app.add_option("--one-per-key", flags->one_per_key,
                 "of several runs of one case keep all, the newest, or the one with the worst verdict")
      ->check(flags::one_of({"all", "newest", "worst"}))
      ->capture_default_str();
  app.add_flag("--partial", flags->partial, "also take what was recorded of a run that was cut off (FILE.part)");
  flags::add_force_flag(app, flags->force);
  return [flags] { return run_merge(*flags); };
}

}  // namespace plumb::parity::cli
