// `plumb reduce`: makes the smallest graph that still fails as a given one does.
#include "parity/studies/reduce/reduce.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>

#include "ir/files/process.hpp"
#include "library/verify.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/flags/verify_flags.hpp"
#include "parity/cli/reducing/case_runs.hpp"
#include "parity/cli/reducing/reduction_files.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/foreign/scratch.hpp"
#include "parity/foreign/spec.hpp"

namespace plumb::parity::cli {
namespace {

using studies::reduce::Candidate;
using studies::reduce::Signature;
using Clock = std::chrono::steady_clock;

struct ReduceFlags {
  flags::VerifyFlags verify;  ///< those of its flags that this command has, too
  std::string path, node, check, folder, budget = "10m", timeout = "2m";
  std::vector<std::string> keep;
  bool force = false;
};

/// How often of how many runs it failed in one way.
struct Rate {
  Signature signature = {};
  CaseEnding last = {};  ///< a run that failed so or, where none did, any
  unsigned failed = 0, runs = 0;

  double share() const { return static_cast<double>(failed) / runs; }
  std::string text() const { return fmt::format("{} of {}", failed, runs); }
};

/// Three runs, and ten where these disagree. `signature`: how it has to fail, where that is known.
template <class Run>
Rate rate_of(const Run& run, const Signature& signature) {
  constexpr unsigned usual = 3, most = 10;
  Rate rate{.signature = signature};
  while (rate.runs < usual || (rate.failed != 0 && rate.failed != rate.runs && rate.runs < most)) {
    const CaseEnding ending = run();
    if (ending.is_unsupported) throw ir::Unsupported(ending.message);
    ir::require(!ending.is_refused, ending.message);
    ++rate.runs;
    if (rate.signature.kind.empty()) rate.signature = ending.signature;
    const bool is_the_failure = !ending.signature.kind.empty() && ending.signature == rate.signature;
    if (is_the_failure || rate.failed == 0) rate.last = ending;
    if (is_the_failure) ++rate.failed;
  }
  return rate;
}

/// Runs of a candidate of which one at least fails but for a probability of 0.001, if it fails at this rate.
unsigned tries_at(double rate) {
  return rate >= 1 ? 1 : static_cast<unsigned>(std::ceil(std::log(1e-3) / std::log(1 - rate)));
}

/// One call of the command.
class ReduceRun {
 public:
  explicit ReduceRun(const ReduceFlags& flags);
  int run();

 private:
  cases::Case load();
  Candidate smallest(const Candidate& whole);
  bool fails(const Candidate& candidate);
  void tell(std::string_view step, const Candidate& best) const;
  void write(const Candidate& whole, const Candidate& best, const Rate& confirmed) const;
  std::string script(const Candidate& best) const;
  std::string report(const Candidate& whole, const Candidate& best, const Rate& confirmed) const;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  const ReduceFlags& flags_;
  flags::VerifyFlags verify_;
  const std::chrono::milliseconds budget_, timeout_;
  const Clock::time_point begin_ = Clock::now();
  const foreign::Scratch scratch_{std::uint64_t{1} << 28, {}};
  std::unique_ptr<CaseRuns> runs_;
  std::chrono::milliseconds limit_{};        ///< for a run of a candidate
  std::optional<Clock::time_point> ends_{};  ///< when nothing more is tried
  Rate first_;
  unsigned tries_ = 1;
  std::size_t asked_ = 0;
};

ReduceRun::ReduceRun(const ReduceFlags& flags)
    : flags_(flags),
      verify_(flags.verify),
      budget_(flags::duration_of("--budget", flags.budget)),
      timeout_(flags::duration_of("--case-timeout", flags.timeout)) {
  verify_.paths = {flags.path};
  if (!flags.node.empty()) verify_.filter = ir::files::split_words(core::terminal::filter_flag(flags.node)).back();
  const foreign::Kind kind = foreign::parse_spec(verify_.candidate.candidate).kind;
  ir::require(kind != foreign::Kind::file, "--candidate ", verify_.candidate.candidate,
              " has the numbers of one run, and a reduction asks for many others");
}

cases::Case ReduceRun::load() {
  verify::FillOptions fill = flags::fill_options(verify_.graph);
  verify_.graph.seed = fill.seed;  // where it is from the system
  library::set_fill(verify_.fill, "--fill", fill);
  cases::Case subject = verify::load_case(flags_.path, fill);
  const auto& nodes = subject.file->graph.nodes();
  for (const std::string& text : verify_.plants) {
    const Plant plant = parse_plant(text);
    ir::require(std::ranges::any_of(nodes, [&](const ir::Node& node) { return plant.is_at(node); }), plant.nowhere());
  }
  std::vector<std::string> labels;
  for (const ir::Node& node : nodes) labels.push_back(node.label);
  ir::require(flags_.node.empty() || std::ranges::find(labels, flags_.node) != labels.end(), flags_.path,
              ": --node: there is no node '", flags_.node, "'", core::did_you_mean(flags_.node, labels));
  return subject;
}

bool ReduceRun::fails(const Candidate& candidate) {
  for (unsigned k = 0; k < tries_; ++k) {
    const auto left = ends_ ? std::chrono::floor<std::chrono::milliseconds>(*ends_ - Clock::now()) : limit_;
    if (left.count() <= 0) return false;
    ++asked_;
    const CaseEnding ending = runs_->run(candidate, std::min(limit_, left));
    const bool is_cut_short = left < limit_ && ending.signature.kind == "hang";
    if (!is_cut_short && ending.signature == first_.signature) return true;
  }
  return false;
}

void ReduceRun::tell(std::string_view step, const Candidate& best) const {
  show::print("{}: {}, {}, {} runs, {:.0f} s\n", step, core::terminal::counted(best.graph.nodes().size(), "node"),
              core::terminal::counted(static_cast<std::size_t>(studies::reduce::elements_of(best.graph)), "element"),
              asked_, seconds());
}

Candidate ReduceRun::smallest(const Candidate& whole) {
  ir::require(fails(whole), flags_.path, ": ", studies::reduce::to_text(first_.signature), " in ", first_.text(),
              " runs, but not once the graph and its numbers are in a file by themselves: it cannot be reduced");
  ends_ = Clock::now() + budget_;
  const studies::reduce::Questions questions{
      .fails = [this](const Candidate& tried) { return fails(tried); },
      .values = [this](const Candidate& tried) { return runs_->values(tried, limit_); },
      .tell = [this](std::string_view step, const Candidate& best) { tell(step, best); }};
  const std::string& label = first_.signature.label;
  return studies::reduce::reduced(whole, label.empty() ? std::nullopt : std::optional(label), questions);
}

std::string ReduceRun::script(const Candidate& best) const {
  std::string line = runs_->line(best, "\"$(dirname \"$0\")/repro.json\"");
  if (first_.signature.kind == "hang") line += " --jobs 1 --share-device --case-timeout " + flags_.timeout;
  const bool is_ours = flags_.check.empty();
  return fmt::format(
      "#!/bin/sh\n# {}\n{}exec {}{}{}\n", studies::reduce::to_text(first_.signature),
      is_ours ? "# $PLUMB names the program where it is not in PATH; further arguments are handed on to it.\n" : "",
      is_ours ? "\"${PLUMB:-plumb}\" " : "", line, is_ours ? " \"$@\"" : "");
}

std::string ReduceRun::report(const Candidate& whole, const Candidate& best, const Rate& confirmed) const {
  const auto row = [](const char* name, const Candidate& one) {
    return fmt::format("| {} | {} | {} | {} |\n", name, one.graph.nodes().size(),
                       studies::reduce::elements_of(one.graph), one.graph.inputs().size() + one.graph.params().size());
  };
  std::string text = fmt::format("# {}\n\n", studies::reduce::to_text(first_.signature));
  text += fmt::format(
      "`plumb reduce` made repro.json of `{}`; repro.sh runs it. It failed so in {} runs, the original in "
      "{}. {} runs, {:.0f} s.\n\n",
      flags_.path, confirmed.text(), first_.text(), asked_, seconds());
  text += "| | nodes | elements | inputs and params |\n|---|---|---|---|\n" + row("original", whole) +
          row("repro.json", best);
  text += studies::reduce::has_numbers(best) ? "\nrepro.json has the numbers that it is fed.\n"
                                             : "\nNo numbers matter: repro.json is fed fills.\n";
  text += "\n```\n" + ir::to_text(best.graph) + "```\n\nWrong in the last run:\n\n```\n";
  for (const std::string& line : confirmed.last.why) text += line + '\n';
  if (confirmed.last.why.empty()) text += confirmed.last.verdict + ' ' + confirmed.last.message + '\n';
  return text + "```\n";
}

void ReduceRun::write(const Candidate& whole, const Candidate& best, const Rate& confirmed) const {
  const std::string why =
      fmt::format("plumb reduce made this of {}: {}", flags_.path, studies::reduce::to_text(first_.signature));
  const ReductionFiles files{.graph = ir::formats::write_graph(studies::reduce::file_of(best, why)),
                             .script = script(best),
                             .report = report(whole, best, confirmed)};
  files.write(flags_.folder);
}

int ReduceRun::run() {
  require_folder(flags_.folder, flags_.force);
  const cases::Case subject = load();
  const Candidate whole = studies::reduce::candidate_of(subject);
  runs_ = std::make_unique<CaseRuns>(verify_, flags_.keep, ir::files::split_words(flags_.check), scratch_.path());
  const bool asks_user = !flags_.check.empty();
  first_ = rate_of([&] { return asks_user ? runs_->run(whole, timeout_) : runs_->original(timeout_); }, {});
  if (first_.failed == 0) {
    show::print("{}: nothing to reduce: {} {} of {}\n", flags_.path, first_.last.verdict, first_.runs, first_.runs);
    return static_cast<int>(core::ExitCode::failed);
  }
  show::print("{}: {} in {} runs\n", flags_.path, studies::reduce::to_text(first_.signature), first_.text());
  tries_ = tries_at(first_.share());
  const std::chrono::milliseconds least = std::chrono::seconds(10);
  limit_ = first_.signature.kind == "hang" ? timeout_ : std::max(least, 5 * first_.last.took);
  tell("whole", whole);
  const Candidate best = smallest(whole);
  const Rate confirmed = rate_of([&] { return runs_->run(best, limit_); }, first_.signature);
  ir::require(confirmed.failed != 0, flags_.path, ": what was left failed in none of ", confirmed.runs,
              " runs, though it had before: nothing is written");
  write(whole, best, confirmed);
  show::print("{}: confirmed in {} runs: {}\n", flags_.folder, confirmed.text(),
              core::terminal::counted(best.graph.nodes().size(), "node"));
  return static_cast<int>(core::ExitCode::passed);
}

void add_flags(CLI::App& app, ReduceFlags& flags) {
  app.add_option("graph", flags.path, "a graph file (plumb.graph/1, ONNX, GGUF) that fails")->required();
  app.add_option("-o,--output", flags.folder, "the folder to make: repro.json, repro.sh and report.md")->required();
  app.add_option("--node", flags.node, "judge the node of this label alone");
  app.add_option("--keep", flags.keep,
                 "what has to stay as it is of the node that fails, beside its op and how it fails")
      ->check(flags::one_of(studies::reduce::keepable()))
      ->delimiter(',');
  app.add_option("--check", flags.check,
                 "a command that is given the file of a candidate, and decides: 0 is a failure, all else is none")
      ->type_name("CMD");
  app.add_option("--budget", flags.budget, "how long to try: 90s, 10m, 1h; what it has then is confirmed and written")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--case-timeout", flags.timeout, "a run of the graph that takes longer hangs")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--repeat", flags.verify.repeat, "run the device this many times; all runs must agree in every bit")
      ->check(flags::whole_from_to(1, 1000))
      ->capture_default_str();
  app.add_flag("--metamorphic", flags.verify.metamorphic, "also check relations, one of which may be what fails");
  app.add_option("--plant", flags.verify.plants, "plant a fault, as verify does")
      ->type_name("FAULT[=ARG]@GLOB")
      ->allow_extra_args(false);
  app.add_option("--fill", flags.verify.fill, "fill with numbers of a kind, as verify does")
      ->capture_default_str()
      ->group("input");
  app.add_flag("--force", flags.force, "replace repro.json, repro.sh and report.md in a folder that has files");
  flags::add_graph_flags(app, flags.verify.graph);
  flags::add_precision_flag(app, flags.verify.graph);
  flags::add_candidate_flags(app, flags.verify.candidate);
  flags::add_device_flags(app, flags.verify.device);
}

}  // namespace

Action reduce(CLI::App& app) {
  const auto flags = std::make_shared<ReduceFlags>();
  add_flags(app, *flags);
  return [flags] { return ReduceRun(*flags).run(); };
}

}  // namespace plumb::parity::cli
