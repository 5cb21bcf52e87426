// `plumb baseline`: what drift needs of recorded runs, as a file that is small enough to be committed.
#include "parity/studies/drift/baseline.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/studies/drift/drift_report.hpp"

namespace plumb::parity::cli {
namespace {

namespace drifts = studies::drift;

struct BaselineFlags {
  std::vector<std::string> results;
  std::string output, allow_worse;
  bool update = false, force = false;
};

/// Throws Error where the output is there and is not to be replaced by this command.
void require_replaceable(const BaselineFlags& flags) {
  std::error_code none;
  if (flags.force || !std::filesystem::is_regular_file(flags.output, none)) {
    ir::require(!flags.update || std::filesystem::exists(flags.output, none), flags.output,
                ": is not there, so that --update has nothing to update");
    return;
  }
  const bool is_ours =
      ir::files::kind_of_file(flags.output) == ir::files::FileKind::hdf5 && drifts::is_baseline(flags.output);
  ir::require(is_ours, flags.output, ": is no baseline and is not replaced, but with --force");
  ir::require(flags.update, flags.output, ": the file exists and is not replaced; --update takes what got better");
}

/// Whether these runs may take the place of the baseline's; a line says why not.
bool is_no_worse(const BaselineFlags& flags, const std::vector<drifts::Record>& records,
                 std::vector<std::string>& reasons) {
  reasons = drifts::reasons_of(flags.output);
  drifts::Drift found = drifts::compare(drifts::read_records(flags.output), records, {});
  std::cout << drifts::to_text(found, {});
  if (!found.fails() && !found.is_untold()) return true;
  if (flags.allow_worse.empty()) {
    std::cerr << flags.output << ": stays as it is, since "
              << (found.fails() ? "something is worse" : "too few seeds tell")
              << "; --allow-worse REASON takes it all the same\n";
    return false;
  }
  reasons.push_back(flags.allow_worse);
  return true;
}

int run_baseline(const BaselineFlags& flags) {
  const flags::Outputs outputs{.force = flags.force, .inputs = {flags.results.begin(), flags.results.end()}};
  require_replaceable(flags);
  const auto output = outputs.open(flags.output, ir::files::FileKind::hdf5);
  std::vector<drifts::Record> records;
  for (const std::string& file : flags.results)
    for (drifts::Record& one : drifts::read_records(file)) records.push_back(std::move(one));
  records = drifts::latest(std::move(records));
  ir::require(!records.empty(), flags.results.front(), ": has no runs");
  std::vector<std::string> reasons;
  if (flags.update && !is_no_worse(flags, records, reasons)) return static_cast<int>(core::ExitCode::failed);
  if (flags.update) records = drifts::over(drifts::read_records(flags.output), std::move(records));
  drifts::write_baseline(output->part(), records, reasons);
  output->commit();
  std::size_t kept = 0;
  for (const drifts::Record& one : records) kept += one.outputs.size();
  std::cout << flags.output << ": " << core::terminal::counted(records.size(), "run") << ", "
            << core::terminal::counted(kept, "output") << '\n';
  return 0;
}

}  // namespace

Action baseline(CLI::App& app) {
  const auto flags = std::make_shared<BaselineFlags>();
  app.add_option("results", flags->results, "results files (HDF5) of plumb verify")->required();
  flags::add_output(app, "-o,--output", flags->output, "write what drift needs of their runs to this file (HDF5)")
      ->required();
  auto* const update =
      app.add_flag("--update", flags->update, "replace runs of a baseline that is there, unless something is worse");
  app.add_option("--allow-worse", flags->allow_worse, "take what is worse, too, for this reason, which is kept")
      ->needs(update);
  flags::add_force_flag(app, flags->force);
  return [flags] { return run_baseline(*flags); };
}

}  // namespace plumb::parity::cli
