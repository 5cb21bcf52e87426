// Opens who is judged, as the command line names it.
#include "parity/cli/flags/candidate_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "ir/passes/widen.hpp"
#include "parity/cases/case.hpp"
#include "parity/cli/flags/own_files.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/reference.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/foreign/dump.hpp"
#include "parity/foreign/exec_candidate.hpp"
#include "parity/foreign/spec.hpp"

namespace plumb::parity::cli::flags {
namespace {

using foreign::Kind;

/// The norms of all true values of a case, which its graph computes in reference precision.
foreign::ValueNorms truth_norms(const cases::Case& subject, int threads) {
  ref_cpu::CpuExecutor reference = reference_executor(threads);
  const ir::Graph wide = ir::passes::widen(subject.file->graph);
  std::vector<ir::Value> computed;
  for (const ir::Node& node : wide.nodes()) computed.insert(computed.end(), node.outputs.begin(), node.outputs.end());
  ir::Feeds feeds;
  for (const auto& [name, tensor] : subject.feeds) feeds.emplace(name, ir::passes::widen(tensor));
  foreign::ValueNorms norms;
  for (const auto& [value, tensor] : reference.run(wide, feeds, std::move(computed)))
    norms.emplace(value, foreign::norm_of(tensor));
  return norms;
}

foreign::DumpOptions dump_options(const foreign::Spec& spec, const CandidateFlags& flags, int threads) {
  foreign::DumpOptions options{.path = spec.path, .prefix = spec.prefix};
  if (!flags.names.empty()) options.map = foreign::read_map(flags.names);
  if (flags.pair == "statistics")
    options.truth_norms = [threads](const cases::Case& subject) { return truth_norms(subject, threads); };
  return options;
}

foreign::ExecOptions exec_options(const foreign::Spec& spec, const CandidateFlags& flags) {
  return {.taps = ir::enum_value<foreign::Taps>(flags.taps).value(),
          .timeout = std::chrono::seconds(flags.timeout),
          .keep = flags.keep_exchange,
          .kind = std::string(ir::enum_name(spec.kind)),
          .spec = spec.text,
          .name = spec.name};
}

/// The flags of a host that calls a function, as its own command line takes them.
void add_call(const CandidateFlags& flags, std::vector<std::string>& words) {
  if (!flags.arguments.empty()) words.insert(words.end(), {"--args", flags.arguments});
  if (flags.align != 0) words.insert(words.end(), {"--align", std::to_string(flags.align)});
}

/// Lets Python find our package before all that it finds by itself.
std::string python_path() {
  const char* const found = std::getenv("PYTHONPATH");
  return "PYTHONPATH=" + python_folder() + (found == nullptr ? "" : ":" + std::string(found));
}

/// The program that computes for such a candidate, before the folder that it is given.
std::vector<std::string> words_of(const foreign::Spec& spec, const CandidateFlags& flags, const DeviceFlags& device) {
  std::vector<std::string> words;
  switch (spec.kind) {
    case Kind::py:
      words = {"env", python_path(), "python3", "-m", "plumbline.function", spec.text};
      if (!device.device.empty()) words.insert(words.end(), {"--device", device.device});
      if (!flags.framework.empty()) words.insert(words.end(), {"--framework", flags.framework});
      if (flags.returns) words.emplace_back("--returns");
      add_call(flags, words);
      break;
    case Kind::tvmffi:
      words = {own_program("candidate-host"), "tvmffi", spec.text};
      add_call(flags, words);
      break;
    case Kind::plugin:
      words = {own_program("candidate-host"), "plugin", spec.text};
      break;
    case Kind::onnxruntime:
      words = {own_program("candidate-host"), "plugin", own_plugin("onnxruntime") + ":" + spec.text};
      break;
    case Kind::vulkan:
    case Kind::cpu:
    case Kind::file:
    case Kind::exec:
      break;
  }
  return words;
}

std::unique_ptr<foreign::Candidate> open_foreign(const foreign::Spec& spec, const CandidateFlags& flags,
                                                 const DeviceFlags& device) {
  if (spec.kind == Kind::file)
    return std::make_unique<foreign::DumpCandidate>(dump_options(spec, flags, device.threads));
  if (spec.kind == Kind::exec) return foreign::open_exec(spec.arguments, exec_options(spec, flags));
  return foreign::open_exec_words(words_of(spec, flags, device), exec_options(spec, flags));
}

}  // namespace

void add_candidate_flags(CLI::App& app, CandidateFlags& flags) {
  app.add_option("--candidate", flags.candidate,
                 "who is judged, [NAME=]SPEC: vulkan, cpu, or a backend that is not ours, as file:dump.npz, "
                 "exec:COMMAND or py:FILE.py::FUNCTION (docs/foreign_backends.md)")
      ->type_name("SPEC")
      ->capture_default_str()
      ->group("candidate");
  app.add_option("--taps", flags.taps,
                 "the values that it is asked for: results, those that survive its optimiser, or all")
      ->check(one_of({"results", "surviving", "all"}))
      ->capture_default_str()
      ->group("candidate");
  app.add_option("--names", flags.names, "which of its tensors are which values (TOML, docs/foreign_backends.md)")
      ->group("candidate");
  app.add_option("--pair", flags.pair, "statistics: find tensors without a known name by shape and norm, too")
      ->check(one_of({"usual", "statistics"}))
      ->capture_default_str()
      ->group("candidate");
  app.add_option("--candidate-timeout", flags.timeout, "seconds that it may take for a run")
      ->check(whole_from_to(1, 1'000'000))
      ->capture_default_str()
      ->group("candidate");
  app.add_option("--keep-exchange", flags.keep_exchange, "keep what goes to it and comes from it in this folder")
      ->group("candidate");
  app.add_option("--framework", flags.framework, "whose arrays a Python function takes: numpy, torch, cupy or jax")
      ->group("candidate");
  app.add_flag("--returns", flags.returns, "a Python function returns its outputs in place of filling them")
      ->group("candidate");
  app.add_option("--args", flags.arguments, "the arguments of a function in their order: x0,x1,alpha,x0.shape[1],y0")
      ->group("candidate");
  app.add_option("--align", flags.align, "bytes at whose multiples the tensors of a function begin, a power of two")
      ->check(whole_from_to(1, 4096))
      ->group("candidate");
}

bool is_vulkan(const CandidateFlags& candidate, DeviceFlags& flags) {
  const foreign::Spec spec = foreign::parse_spec(candidate.candidate);
  if (spec.kind != Kind::vulkan) return false;
  if (!spec.arguments.empty()) flags.device = spec.arguments;
  return true;
}

void settle_by_dump(const CandidateFlags& candidate, ModelFlags& model) {
  const foreign::Spec spec = foreign::parse_spec(candidate.candidate);
  if (spec.kind != Kind::file) return;
  model.dump = spec.path;
  model.dump_prefix = spec.prefix;
}

OpenedCandidate open_candidate(const CandidateFlags& candidate, const DeviceFlags& flags) {
  const foreign::Spec spec = foreign::parse_spec(candidate.candidate);
  if (spec.kind == Kind::cpu)
    return {.executor = std::make_unique<ref_cpu::CpuExecutor>(ref_cpu::CpuOptions{.threads = flags.threads})};
  std::unique_ptr<foreign::Candidate> executor = open_foreign(spec, candidate, flags);
  OpenedCandidate opened;
  opened.foreign = executor.get();
  if (spec.kind == Kind::file)
    opened.inputs = [options = dump_options(spec, {}, flags.threads)](const ir::formats::GraphFile& file) {
      return foreign::dump_inputs(options, file);
    };
  opened.executor = std::move(executor);
  return opened;
}

bool OpenedCandidate::may_flush_subnormals() const {
  return foreign != nullptr && !foreign->description().keeps_subnormals;
}

std::vector<std::filesystem::path> files_read(const CandidateFlags& flags) {
  const foreign::Spec spec = foreign::parse_spec(flags.candidate);
  std::vector<std::filesystem::path> files;
  if (!spec.path.empty()) files.emplace_back(spec.path);
  if (!flags.names.empty()) files.emplace_back(flags.names);
  return files;
}

std::string repeated(const CandidateFlags& flags) {
  const CandidateFlags usual;
  std::string text;
  const auto add = [&](const char* flag, const std::string& value, const std::string& unless) {
    if (value != unless) text += ir::cat(" ", flag, " ", core::terminal::shell_word(value));
  };
  add("--candidate", flags.candidate, usual.candidate);
  add("--taps", flags.taps, usual.taps);
  add("--names", flags.names, usual.names);
  add("--pair", flags.pair, usual.pair);
  add("--candidate-timeout", std::to_string(flags.timeout), std::to_string(usual.timeout));
  add("--framework", flags.framework, usual.framework);
  add("--args", flags.arguments, usual.arguments);
  add("--align", std::to_string(flags.align), std::to_string(usual.align));
  return text + (flags.returns ? " --returns" : "");
}

}  // namespace plumb::parity::cli::flags
