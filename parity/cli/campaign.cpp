// `plumb campaign`: many tasks, shared out among workers by a folder that all of them see.
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "parity/cli/campaigning/campaign_flags.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"

namespace plumb::parity::cli {
namespace {

void add_folder(CLI::App& app, std::string& folder) {
  app.add_option("folder", folder, "the folder of the campaign, which all workers see")->required();
}

void add_plan_flags(CLI::App& app, CampaignPlanFlags& flags) {
  app.add_option("plan", flags.file, "what is to be run (TOML, docs/campaign.md)")->required();
  add_folder(app, flags.folder);
}

void add_run_flags(CLI::App& app, CampaignRunFlags& flags) {
  add_folder(app, flags.folder);
  app.add_option("--device", flags.device,
                 "the device: its index, UUID or name (* and ? match), or cpu; else the first one that the campaign "
                 "names, or of several ranks on a host each its own")
      ->type_name("DEVICE");
  app.add_flag("--share-device", flags.share_device, "let ranks of one host that are more than its devices share them");
  app.add_option("--until", flags.until,
                 "begin no task that is expected to end later than 30 s after this time, and give back the one at "
                 "hand, such as 3h50m")
      ->type_name("TIME");
  app.add_option("--lost-after", flags.lost_after,
                 "take over the task of a worker that has shown no sign of life for this long; the same for all "
                 "workers")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--threads", flags.threads,
                 "threads of the CPU executor and of comparisons; 0 takes one for every core")
      ->check(flags::whole_from_to(0, 4096));
  app.add_flag("-q,--quiet", flags.quiet, "print only the last line");
}

void add_gather_flags(CLI::App& app, CampaignGatherFlags& flags) {
  add_folder(app, flags.folder);
  flags::add_output(app, "-o,--output", flags.output, "write all runs of verify to this results file (HDF5)")
      ->group("output");
  flags::add_output(app, "--tasks", flags.tasks,
                    "write what tasks of other kinds came to, with their reports, to this file (JSON), or - for stdout")
      ->group("output");
  app.add_flag("--partial", flags.partial, "do not fail since tasks are missing");
  app.add_flag("--exit-zero", flags.exit_zero, "end with 0 once all is written, whatever the verdicts are");
  app.add_flag("--strict", flags.demands.strict, "exit code 4 where anything was not verified, as in verify");
  app.add_flag("--require-verified", flags.demands.verified, "exit code 4 unless every run was verified, as in verify");
  add_record_report_flags(app, flags.reports);
}

}  // namespace

Action campaign(CLI::App& app) {
  const auto plan = std::make_shared<CampaignPlanFlags>();
  const auto run = std::make_shared<CampaignRunFlags>();
  const auto gather = std::make_shared<CampaignGatherFlags>();
  const auto shown = std::make_shared<std::string>();
  const auto chosen = std::make_shared<std::function<int()>>();
  app.require_subcommand(1);
  const auto add = [&](const char* name, const char* help, std::function<int()> act) {
    CLI::App* const made = app.add_subcommand(name, help);
    made->callback([chosen, act = std::move(act)] { *chosen = act; });
    return made;
  };
  add_plan_flags(*add("plan", "write down the tasks of a campaign; once more: those that are new",
                      [plan] { return plan_campaign(*plan); }),
                 *plan);
  add_run_flags(*add("run", "work on the tasks of a campaign, beside any number of others, until none is left",
                     [run] { return run_campaign(*run); }),
                *run);
  add_gather_flags(*add("gather", "bring together what was done: one results file, its reports, one exit code",
                        [gather] { return gather_campaign(*gather); }),
                   *gather);
  add_folder(*add("status", "say what is done, what runs, and when the end is to be expected",
                  [shown] { return show_campaign(*shown); }),
             *shown);
  return [chosen] { return (*chosen)(); };
}

}  // namespace plumb::parity::cli
