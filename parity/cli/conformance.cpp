// `plumb conformance`: runs ONNX's backend tests on both executors, with floors for how many must pass.
#include "parity/studies/conformance/conformance.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/files/interruption.hpp"
#include "ir/formats/regular_expression.hpp"
#include "library/reference.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/model_files.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/shard_flag.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/verifying/case_tags.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/progress.hpp"
#include "parity/studies/conformance/conformance_report.hpp"

namespace plumb::parity::cli {
namespace {

struct ConformanceFlags {
  std::vector<std::string> suites;
  std::string filter, skip, tag, shard, junit, json, markdown;
  std::size_t least_cpu = 0, least_gpu = 0;
  bool list = false, verbose = false, force = false;
  cases::Closeness closeness;
  flags::DeviceFlags device;
  flags::CandidateFlags candidate;
};

void add_flags(CLI::App& app, ConformanceFlags& flags) {
  app.add_option("suites", flags.suites, "folders in the layout of ONNX's backend tests")->required();
  app.add_option("--filter,--case", flags.filter, "regular expression over names of cases")->group("select");
  app.add_option("--skip", flags.skip, "regular expression over names of cases that are not run")->group("select");
  app.add_option("--tag", flags.tag, "run cases by their tags: op:softmax and not (large or dtype:f64) (docs/cases.md)")
      ->type_name("TAGS")
      ->group("select");
  app.add_flag("--list", flags.list, "say which cases there are, and run none")->group("select");
  flags::add_shard_flag(app, flags.shard)->group("select");
  app.add_option("--rtol", flags.closeness.relative, "relative tolerance for the results")
      ->capture_default_str()
      ->check(flags::not_negative());
  app.add_option("--atol", flags.closeness.absolute, "absolute tolerance for the results")
      ->capture_default_str()
      ->check(flags::not_negative());
  app.add_option("--least-cpu", flags.least_cpu, "fail when fewer cases pass on the CPU executor");
  app.add_option("--least-gpu,--least-candidate", flags.least_gpu,
                 "fail when fewer cases pass on the device, or by the candidate");
  flags::add_output(app, "--junit", flags.junit, "write JUnit XML to this file")->group("output");
  flags::add_output(app, "--json", flags.json, "write the report as JSON to this file, or - for stdout")
      ->group("output");
  flags::add_output(app, "--markdown", flags.markdown, "write the report as a page of documentation")->group("output");
  flags::add_force_flag(app, flags.force);
  app.add_flag("-v,--verbose", flags.verbose, "print a line for every case")->group("output");
  flags::add_device_flags(app, flags.device);
  flags::add_chosen_executor_flags(app, flags.candidate, nullptr);
}

/// Those that a model has of itself; of one that cannot be read those of its path alone.
cases::Tags tags_of(const studies::conformance::SuiteCase& one) {
  cases::Tags tags = tags_of_path(one.model.string());
  tags.merge(tags_of_fill({}));
  try {
    tags.merge(tags_of_graph(flags::onnx_suite_reader().read(one, one.data.empty() ? "" : one.data.front()).graph));
  } catch (const ir::Error&) {
    return tags;
  }
  return tags;
}

void choose_tags(const std::string& tag, std::vector<studies::conformance::SuiteCase>& cases) {
  const cases::TagExpression expression(tag, "--tag");
  require_known_tags(expression, {});
  std::erase_if(cases, [&](const auto& one) { return !expression.holds_for(tags_of(one)); });
  ir::require(!cases.empty(), "--tag '", tag, "' chooses no case");
}

std::vector<studies::conformance::SuiteCase> cases_of(const ConformanceFlags& flags) {
  std::vector<studies::conformance::SuiteCase> cases;
  for (const std::string& root : flags.suites)
    for (studies::conformance::SuiteCase& one : studies::conformance::find_suite(root)) {
      // Several suites may have cases of one name.
      if (flags.suites.size() > 1) one.name = std::filesystem::path(root).lexically_normal().filename() / one.name;
      cases.push_back(std::move(one));
    }
  const ir::formats::RegularExpression taken(flags.filter, "--filter");
  std::erase_if(cases, [&](const studies::conformance::SuiteCase& one) { return !taken.is_in(one.name); });
  ir::require(!cases.empty(), "no case matches --filter '", flags.filter, "'");
  if (!flags.skip.empty()) {
    const ir::formats::RegularExpression left(flags.skip, "--skip");
    const std::size_t skipped =
        std::erase_if(cases, [&](const studies::conformance::SuiteCase& one) { return left.is_in(one.name); });
    ir::require(skipped != 0, "no case matches --skip '", flags.skip, "'");
    ir::require(!cases.empty(), "--skip '", flags.skip, "' leaves no case");
  }
  if (!flags.tag.empty()) choose_tags(flags.tag, cases);
  return cases;
}

/// Says of each case which share it falls to, and leaves those of the share that is asked for; whether one is.
bool take_share(const ConformanceFlags& flags, std::vector<studies::conformance::SuiteCase>& cases) {
  const auto shard = flags::chosen_shard(flags.shard);
  if (shard) {
    ir::require(flags.least_cpu + flags.least_gpu == 0,
                "--least-cpu and --least-gpu are about all cases, and --shard takes some");
    std::vector<cases::CaseCost> costs;
    for (const studies::conformance::SuiteCase& one : cases) costs.push_back({.id = one.name, .flops = 1});
    const std::vector<std::uint16_t> shares = cases::shares_of(costs, shard->count);
    std::vector<studies::conformance::SuiteCase> kept;
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (shares[i] == shard->index) kept.push_back(cases[i]);
    std::ostream& out = flags.json == "-" ? std::cerr : std::cout;
    out << fmt::format("share {}: {} of {} cases\n", shard->text(), kept.size(), cases.size());
    cases = std::move(kept);
  }
  return shard.has_value();
}

/// Says which cases there are.
int list_cases(const ConformanceFlags& flags, const std::vector<studies::conformance::SuiteCase>& cases) {
  ir::require(flags.json.empty() && flags.junit.empty() && flags.markdown.empty(),
              "--list runs nothing: --json, --junit and --markdown have nothing to write");
  for (const studies::conformance::SuiteCase& one : cases) {
    std::string line = one.name;
    for (const std::string& tag : tags_of(one))
      if (!tag.starts_with("dir:")) line += "  " + tag;
    std::cout << core::terminal::printable(line) << '\n';
  }
  std::cout << core::terminal::counted(cases.size(), "case") << '\n';
  return 0;
}

void print_trouble(std::ostream& out, const studies::conformance::ConformanceResult& result,
                   const std::string& candidate, bool verbose) {
  const auto line = [&](std::string_view on, const studies::conformance::Outcome& outcome) {
    const bool is_trouble = outcome.standing == studies::conformance::Standing::failed ||
                            outcome.standing == studies::conformance::Standing::mistrusted;
    if (!is_trouble && !verbose) return;
    out << core::terminal::printable(result.name) << " (" << on << "): " << ir::enum_name(outcome.standing);
    if (!outcome.why.empty()) out << ": " << core::terminal::printable(outcome.why);
    out << '\n';
  };
  line("cpu", result.cpu);
  line(candidate, result.gpu);
}

/// That fewer passed than were asked for.
std::vector<core::RunFinding> too_few(const ConformanceFlags& flags, const std::string& candidate,
                                      std::span<const studies::conformance::ConformanceResult> results) {
  const studies::conformance::Count passed =
      studies::conformance::count(results, studies::conformance::Standing::passed);
  std::vector<core::RunFinding> findings;
  const auto least = [&](const std::string& on, std::size_t wanted, std::size_t got) {
    if (got >= wanted) return;
    findings.push_back({.kind = "too_few",
                        .text = fmt::format("{} passed on the {}, but at least {} are wanted",
                                            core::terminal::counted(got, "case"), on, wanted),
                        .usual = core::ExitCode::failed,
                        .strict = core::ExitCode::failed});
  };
  least("cpu", flags.least_cpu, passed.cpu);
  least(candidate, flags.least_gpu, passed.gpu);
  return findings;
}

/// Who is judged beside the CPU executor.
struct Judged {
  std::unique_ptr<ir::Executor> executor = {};  ///< nothing where there is no device
  std::string name = "gpu", device = {}, why_not = {};
};

Judged open_device(flags::DeviceFlags flags) try {
  auto options = flags::vulkan_options(flags);
  options.fallback = gpu_vulkan::device::Fallback::forbid;  // a result of the host says nothing of the device
  auto device = std::make_unique<gpu_vulkan::VulkanExecutor>(std::move(options));
  const std::string name = device->facts().name;
  return {.executor = std::move(device), .device = name};
} catch (const ir::Unsupported& reason) {
  return {.device = ir::cat("none: ", reason.what()), .why_not = reason.what()};
}

Judged open_judged(const ConformanceFlags& flags) {
  flags::DeviceFlags device = flags.device;
  const bool is_ours = flags.candidate.candidate.empty() || flags::is_vulkan(flags.candidate, device);
  if (is_ours) return open_device(device);
  flags::ChosenExecutor other = flags::open_chosen("", flags.candidate, flags.device);
  ir::require(other.name != "cpu", "--candidate ", other.spec, ": the CPU executor is judged in any case");
  flags::require_computes(*other.executor, other.spec, "a suite has many");
  const std::string about = other.foreign() == nullptr ? other.spec : to_text(other.foreign()->description());
  return {.executor = std::move(other.executor), .name = other.name, .device = about.empty() ? other.spec : about};
}

int run_conformance(const ConformanceFlags& flags) {
  auto cases = cases_of(flags);
  const bool is_share = take_share(flags, cases);
  if (flags.list) return list_cases(flags, cases);
  const flags::Outputs outputs{.force = flags.force};
  const auto json = outputs.open(flags.json, ir::files::FileKind::json),
             junit = outputs.open(flags.junit, ir::files::FileKind::xml),
             markdown = outputs.open_text(flags.markdown, "");
  const core::ThreadLimit comparing(flags.device.threads);
  ref_cpu::CpuExecutor reference = library::reference_executor(flags.device.threads);
  studies::conformance::ConformanceContext context;
  const Judged judged = open_judged(flags);
  for (const std::string& suite : flags.suites) context.suite += (context.suite.empty() ? "" : ", ") + suite;
  context.device = judged.device;
  context.candidate = judged.name;
  const cases::Executors executors = judged.executor
                                         ? library::executors_of(reference, *judged.executor)
                                         : cases::Executors{.reference = reference, .why_not = judged.why_not};
  verify::FillOptions fill;
  fill.expected_within = flags.closeness;
  std::ostream& out = flags.json == "-" ? std::cerr : std::cout;
  std::vector<studies::conformance::ConformanceResult> results;
  const auto write = [&] {
    flags::write_whole(json, studies::conformance::conformance_json(results, context));
    flags::write_whole(junit, studies::conformance::conformance_junit(results, context));
  };
  {
    // Who interrupts finds reports of what was done.
    const ir::files::LastWord last_word([&] {
      context.findings = {core::cut_off(results.size(), cases.size())};
      write();
      return context.findings[0].text;
    });
    report::Progress progress;
    for (const studies::conformance::SuiteCase& one : cases) {
      progress.step(one.name, results.size(), cases.size());
      studies::conformance::ConformanceResult result =
          studies::conformance::run_conformance(one, flags::onnx_suite_reader(), executors, fill);
      progress.erase();
      print_trouble(out, result, context.candidate, flags.verbose);
      const ir::files::Uninterrupted whole;
      results.push_back(std::move(result));
    }
  }
  out << studies::conformance::conformance_table(results, context);
  context.findings = too_few(flags, context.candidate, results);
  write();
  flags::write_whole(markdown, studies::conformance::conformance_markdown(results, context));
  for (const core::RunFinding& one : context.findings) out << one.text << '\n';
  const studies::conformance::Count failed =
      studies::conformance::count(results, studies::conformance::Standing::failed);
  if (is_share && cases.empty()) return 0;
  const bool is_good = failed.cpu + failed.gpu == 0 && context.findings.empty();
  return static_cast<int>(is_good ? core::ExitCode::passed : core::ExitCode::failed);
}

}  // namespace

Action conformance(CLI::App& app) {
  const auto flags = std::make_shared<ConformanceFlags>();
  add_flags(app, *flags);
  return [flags] { return run_conformance(*flags); };
}

}  // namespace plumb::parity::cli
