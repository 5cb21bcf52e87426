// Knows every kind of candidate, and what runs for it.
#include "library/open_candidate.hpp"

#include <cstdlib>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/formats/dumps/dumped_runs.hpp"
#include "ir/formats/onnx/write/write_onnx.hpp"
#include "ir/passes/widen.hpp"
#include "library/log.hpp"
#include "library/own_files.hpp"
#include "library/reference.hpp"
#include "parity/cases/case.hpp"
#include "parity/foreign/dump.hpp"
#include "parity/foreign/exec_candidate.hpp"
#include "parity/foreign/spec.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::library {
namespace {

namespace cases = parity::cases;
namespace foreign = parity::foreign;

using foreign::Kind;

/// The norms of all true values of a case, which its graph computes in reference precision.
foreign::ValueNorms truth_norms(const cases::Case& subject, int threads) {
  ref_cpu::CpuExecutor reference = reference_executor(threads);
  const ir::Graph wide = ir::passes::widen(subject.file->graph);
  std::vector<ir::Value> computed;
  for (const ir::Node& node : wide.nodes()) computed.insert(computed.end(), node.outputs.begin(), node.outputs.end());
  foreign::ValueNorms norms;
  for (const auto& [value, tensor] : reference.run(wide, ir::passes::widen(subject.feeds), std::move(computed)))
    norms.emplace(value, foreign::norm_of(tensor));
  return norms;
}

foreign::DumpOptions dump_options(const foreign::Spec& spec, const CandidateOptions& options) {
  foreign::DumpOptions made{.path = spec.path, .prefix = spec.prefix, .storage = storage_of(options.storage)};
  if (!options.names.empty()) made.map = foreign::read_map(options.names);
  if (options.pair == "statistics")
    made.truth_norms = [threads = options.threads](const cases::Case& subject) {
      return truth_norms(subject, threads);
    };
  return made;
}

/// Throws Error for an option that is a choice and has no such value.
void require_choices(const CandidateOptions& options) {
  ir::require(ir::enum_value<foreign::Taps>(options.taps).has_value(), "taps: is results, surviving or all, got '",
              options.taps, "'");
  ir::require(options.pair == "usual" || options.pair == "statistics", "pair: is usual or statistics, got '",
              options.pair, "'");
  storage_of(options.storage);
}

foreign::ExecOptions exec_options(const foreign::Spec& spec, const CandidateOptions& options) {
  return {.taps = ir::enum_value<foreign::Taps>(options.taps).value(),
          .storage = storage_of(options.storage),
          .timeout = std::chrono::seconds(options.timeout),
          .keep = options.keep_exchange,
          .kind = std::string(ir::enum_name(spec.kind)),
          .spec = spec.text,
          .name = spec.name,
          .serves = spec.kind == Kind::plugin || spec.kind == Kind::onnxruntime,
          .onnx = {.write = ir::formats::write_onnx, .why_not = ir::formats::why_no_onnx}};
}

/// The options of a host that calls a function, as its own command line takes them.
void add_call(const CandidateOptions& options, std::vector<std::string>& words) {
  if (!options.arguments.empty()) words.insert(words.end(), {"--args", options.arguments});
  if (options.align != 0) words.insert(words.end(), {"--align", std::to_string(options.align)});
}

/// Lets Python find our package before all that it finds by itself.
std::string python_path() {
  const char* const found = std::getenv("PYTHONPATH");
  return "PYTHONPATH=" + python_folder() + (found == nullptr ? "" : ":" + std::string(found));
}

/// The program that computes for such a candidate, before the folder that it is given.
std::vector<std::string> words_of(const foreign::Spec& spec, const CandidateOptions& options) {
  std::vector<std::string> words;
  switch (spec.kind) {
    case Kind::py:
      words = {"env", python_path(), "python3", "-m", "plumbline.function", spec.text};
      if (!options.device.empty()) words.insert(words.end(), {"--device", options.device});
      if (!options.framework.empty()) words.insert(words.end(), {"--framework", options.framework});
      if (options.returns) words.emplace_back("--returns");
      add_call(options, words);
      break;
    case Kind::tvmffi:
      words = {own_program("candidate-host"), "tvmffi", spec.text};
      if (!options.memory.empty()) words.insert(words.end(), {"--memory", options.memory});
      add_call(options, words);
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

std::unique_ptr<ir::Executor> open_foreign(const foreign::Spec& spec, const CandidateOptions& options) {
  if (spec.kind == Kind::file) return std::make_unique<foreign::DumpCandidate>(dump_options(spec, options));
  if (spec.kind == Kind::exec) return foreign::open_exec(spec.arguments, exec_options(spec, options));
  return foreign::open_exec_words(words_of(spec, options), exec_options(spec, options));
}

/// Our device; the host runs the nodes that it cannot run.
std::unique_ptr<ir::Executor> open_vulkan(const foreign::Spec& spec, const CandidateOptions& options) {
  gpu_vulkan::device::VulkanOptions made = gpu_vulkan::device::options_from_environment();
  made.fallback = gpu_vulkan::device::Fallback::allow;
  if (!options.device.empty()) made.device = options.device;
  if (!spec.arguments.empty()) made.device = spec.arguments;
  made.on_doubt = tell;
  made.host = std::make_shared<ref_cpu::CpuExecutor>(ref_cpu::CpuOptions{.threads = options.threads});
  return std::make_unique<gpu_vulkan::VulkanExecutor>(std::move(made));
}

}  // namespace

foreign::Storage storage_of(const std::string& text) {
  const auto storage = ir::enum_value<foreign::Storage>(text);
  ir::require(storage.has_value(), "storage: is graph or observed, got '", text, "'");
  return *storage;
}

OpenedCandidate open_candidate(const std::string& text, const CandidateOptions& options) {
  const foreign::Spec spec = foreign::parse_spec(text);
  require_choices(options);
  ir::formats::dump_runs();
  if (spec.kind == Kind::cpu) {
    ref_cpu::CpuOptions made = ref_cpu::options_from_environment();
    made.threads = options.threads;
    return {std::make_unique<ref_cpu::CpuExecutor>(std::move(made))};
  }
  if (spec.kind == Kind::vulkan) return {open_vulkan(spec, options)};
  OpenedCandidate opened{open_foreign(spec, options)};
  if (spec.kind == Kind::file)
    opened.inputs = [dump = dump_options(spec, {})](const ir::formats::GraphFile& file) {
      return foreign::dump_inputs(dump, file);
    };
  return opened;
}

std::vector<std::filesystem::path> files_read(const std::string& text, const CandidateOptions& options) {
  const foreign::Spec spec = foreign::parse_spec(text);
  std::vector<std::filesystem::path> files;
  if (!spec.path.empty()) files.emplace_back(spec.path);
  if (!options.names.empty()) files.emplace_back(options.names);
  return files;
}

cases::Executors executors_of(ir::Executor& reference, ir::Executor& candidate) {
  cases::Executors made{.reference = reference, .candidate = &candidate};
  made.foreign = dynamic_cast<foreign::Candidate*>(&candidate);
  made.candidate_is_host = dynamic_cast<ref_cpu::CpuExecutor*>(&candidate) != nullptr;
  if (made.foreign != nullptr) made.flushes_subnormals = !made.foreign->description().keeps_subnormals;
  if (const auto* const device = dynamic_cast<gpu_vulkan::VulkanExecutor*>(&candidate)) {
    made.flushes_subnormals = !device->facts().denormals_kept_f32;
    made.computes_in_memory = device->facts().kind == gpu_vulkan::device::DeviceKind::software;
  }
  return made;
}

void set_profile(cases::Executors& executors, const parity::profile::DeviceProfile& profile) {
  using parity::profile::Subnormals;
  executors.profile = &profile;
  const parity::profile::SubnormalHandling f32 = profile.subnormals_of(ir::DType::f32);
  if (f32.in != Subnormals::unknown && f32.out != Subnormals::unknown)
    executors.flushes_subnormals = f32.in == Subnormals::flushed || f32.out == Subnormals::flushed;
}

}  // namespace plumb::library
