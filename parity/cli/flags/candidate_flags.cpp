// Opens who is judged, as the command line names it.
#include "parity/cli/flags/candidate_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>

#include "parity/cli/flags/ops_flag.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/foreign/spec.hpp"

namespace plumb::parity::cli::flags {
namespace {

constexpr const char* about_candidate =
    "who is judged, [NAME=]SPEC: vulkan, cpu, or a backend that is not ours, as file:dump.npz, exec:COMMAND or "
    "py:FILE.py::FUNCTION (docs/foreign_backends.md)";
constexpr std::size_t most_candidates = 8;

void add_asking_flags(CLI::App& app, CandidateFlags& flags) {
  app.add_option("--taps", flags.options.taps,
                 "the values that it is asked for: results, those that survive its optimiser, or all")
      ->check(one_of({"results", "surviving", "all"}))
      ->capture_default_str()
      ->group("candidate");
  app.add_option("--names", flags.options.names,
                 "which of its tensors are which values (TOML, docs/foreign_backends.md)")
      ->group("candidate");
  app.add_option("--pair", flags.options.pair, "statistics: find tensors without a known name by shape and norm, too")
      ->check(one_of({"usual", "statistics"}))
      ->capture_default_str()
      ->group("candidate");
  app.add_option("--candidate-timeout", flags.options.timeout, "seconds that it may take for a run")
      ->check(whole_from_to(1, 1'000'000))
      ->capture_default_str()
      ->group("candidate");
  app.add_option("--keep-exchange", flags.options.keep_exchange,
                 "keep what goes to it and comes from it in this folder")
      ->group("candidate");
  app.add_option("--framework", flags.options.framework,
                 "whose arrays a Python function takes: numpy, torch, cupy or jax")
      ->group("candidate");
  app.add_flag("--returns", flags.options.returns, "a Python function returns its outputs in place of filling them")
      ->group("candidate");
  app.add_option("--args", flags.options.arguments,
                 "the arguments of a function in their order: x0,x1,alpha,x0.shape[1],y0")
      ->group("candidate");
  app.add_option("--align", flags.options.align,
                 "bytes at whose multiples the tensors of a function begin, a power of two")
      ->check(whole_from_to(1, 4096))
      ->group("candidate");
}

}  // namespace

CLI::Option* add_candidate_flags(CLI::App& app, CandidateFlags& flags) {
  CLI::Option* const option = app.add_option("--candidate", flags.candidate, about_candidate)
                                  ->type_name("SPEC")
                                  ->capture_default_str()
                                  ->group("candidate");
  add_asking_flags(app, flags);
  app.add_option("--memory", flags.options.memory,
                 "where tensors of a function of a library (tvmffi) are: host, cuda or cuda:N")
      ->group("candidate");
  return option;
}

void add_candidates_flags(CLI::App& app, std::vector<std::string>& specs, CandidateFlags& flags) {
  app.add_option("--candidate", specs, fmt::format("{}; once for each, up to {}", about_candidate, most_candidates))
      ->type_name("SPEC")
      ->default_str("vulkan")
      ->group("candidate");
  add_asking_flags(app, flags);
}

void add_storage_flag(CLI::App& app, CandidateFlags& flags) {
  app.add_option(
         "--storage", flags.options.storage,
         "graph: its values have the graph's dtypes; observed: floats may come in narrower ones, and are judged "
         "as stored in these")
      ->check(one_of({"graph", "observed"}))
      ->capture_default_str()
      ->group("candidate");
}

void require_candidates(const std::vector<std::string>& specs) {
  ir::require(specs.size() <= most_candidates, "--candidate: ", specs.size(), " are named, and ", most_candidates,
              " can be judged in one run");
  std::set<std::string> names;
  for (const std::string& spec : specs) {
    const std::string name = foreign::parse_spec(spec).name;
    ir::require(names.insert(name).second, "--candidate: two are called ", name,
                ": give one another name, NAME=", spec);
  }
}

bool is_vulkan(const CandidateFlags& candidate, DeviceFlags& flags) {
  const foreign::Spec spec = foreign::parse_spec(candidate.candidate);
  if (spec.kind != foreign::Kind::vulkan) return false;
  if (!spec.arguments.empty()) flags.device = spec.arguments;
  return true;
}

void settle_by_dump(const std::vector<std::string>& specs, ModelFlags& model) {
  for (const std::string& given : specs) {
    const foreign::Spec spec = foreign::parse_spec(given);
    if (spec.kind != foreign::Kind::file) continue;
    model.dump = spec.path;
    model.dump_prefix = spec.prefix;
    return;
  }
}

void feed_by_dump(const verify::TensorReader& inputs, const std::string& spec, bool has_seed,
                  verify::FillOptions& fill) {
  if (fill.read_given) return;
  fill.has_given = true;
  fill.read_given = [inputs, spec, has_seed](const ir::formats::GraphFile& file) {
    ir::Feeds read = inputs(file);
    ir::require(has_seed || !read.empty() || file.graph.inputs().empty(), "--candidate ", spec,
                " does not have all inputs: --load-inputs FILE, or the --seed that they were made by");
    return read;
  };
}

library::OpenedCandidate open_candidate(const CandidateFlags& candidate, const DeviceFlags& flags) {
  library::CandidateOptions options = candidate.options;
  options.device = flags.device;
  options.threads = flags.threads;
  return library::open_candidate(candidate.candidate, options);
}

void require_computes(const ir::Executor& candidate, const std::string& spec, const std::string& wanted) {
  const auto* const foreign = dynamic_cast<const foreign::Candidate*>(&candidate);
  ir::require(foreign == nullptr || foreign->computes(), "--candidate ", spec, " has the numbers of one run, and ",
              wanted);
}

std::vector<std::filesystem::path> files_read(const CandidateFlags& flags) {
  return library::files_read(flags.candidate, flags.options);
}

std::string repeated(const CandidateFlags& flags) {
  const CandidateFlags usual;
  std::string text;
  const auto add = [&](const char* flag, const std::string& value, const std::string& unless) {
    if (value != unless) text += ir::cat(" ", flag, " ", core::terminal::shell_word(value));
  };
  add("--candidate", flags.candidate, usual.candidate);
  add("--taps", flags.options.taps, usual.options.taps);
  add("--names", flags.options.names, usual.options.names);
  add("--pair", flags.options.pair, usual.options.pair);
  add("--storage", flags.options.storage, usual.options.storage);
  add("--candidate-timeout", std::to_string(flags.options.timeout), std::to_string(usual.options.timeout));
  add("--framework", flags.options.framework, usual.options.framework);
  add("--args", flags.options.arguments, usual.options.arguments);
  add("--align", std::to_string(flags.options.align), std::to_string(usual.options.align));
  add("--memory", flags.options.memory, usual.options.memory);
  return text + (flags.options.returns ? " --returns" : "") + repeated_ops();
}

}  // namespace plumb::parity::cli::flags
