// Verifies in this process, with the CPU executor as the reference.
#include "library/verify.hpp"

#include "ir/adversarial/adversarial.hpp"
#include "library/open_candidate.hpp"
#include "library/reference.hpp"
#include "parity/check/check.hpp"
#include "parity/core/candidate_error.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/foreign/callback.hpp"
#include "parity/profile/profile.hpp"
#include "parity/verify/shared_case.hpp"

namespace plumb::library {

namespace cases = parity::cases;

namespace {

/// The flags of a command that judges the same candidate on the same model again; nothing where none can: it has no
/// callbacks, and no tensors or profiles of this process.
std::optional<std::string> repeated(const Model& model, const VerifyOptions& options,
                                    const cases::Executors& executors) {
  const parity::verify::FillOptions& fill = options.fill;
  const bool has_tensors = !fill.given.empty() || fill.read_given || !fill.expected.empty();
  if (!model.is_of_file || has_tensors || options.profile != nullptr) return std::nullopt;
  std::string shapes;
  for (const std::string& shape : model.shapes) shapes += " --shape " + parity::core::terminal::shell_word(shape);
  if (executors.candidate_is_host) return shapes + " --candidate cpu";
  if (executors.foreign == nullptr) return shapes;
  const parity::foreign::Description one = executors.foreign->description();
  if (one.kind == parity::foreign::callback_kind) return std::nullopt;
  return shapes + " --candidate " + parity::core::terminal::shell_word(one.kind + ':' + one.spec);
}

/// Who is judged, as `plumb verify --candidate` would name it.
std::string named(const cases::Executors& executors) {
  if (executors.candidate_is_host) return "cpu";
  if (executors.foreign == nullptr) return cases::RunSettings{}.candidate;
  const parity::foreign::Description one = executors.foreign->description();
  return one.kind + ':' + one.spec;
}

void forget_repro(cases::CaseResult& result) {
  result.repro.clear();
  for (cases::NodeResult& node : result.nodes) node.repro.clear();
}

/// Judges one of those that share a case; `shared` is null where it is alone.
cases::CaseResult verify_one(const Model& model, ir::Executor& candidate, const VerifyOptions& options,
                             cases::Observer* observer, std::shared_ptr<parity::verify::SharedCase> shared) {
  const parity::core::ThreadLimit comparing(options.threads);
  ref_cpu::CpuExecutor reference = reference_executor(options.threads);
  cases::Executors executors = executors_of(reference, candidate);
  if (options.profile != nullptr) set_profile(executors, *options.profile);
  parity::verify::FillOptions fill = options.fill;
  fill.read = [&](const std::filesystem::path&) { return *model.file; };
  parity::verify::VerifyOptions verifying = options.verify;
  const auto again = repeated(model, options, executors);
  verifying.flags += again.value_or("");
  verifying.settings.candidate = named(executors);
  if (options.profile != nullptr) verifying.settings.profile = options.profile->sha256();
  fill.shapes = model.shapes;
  cases::Observer silent;
  cases::CaseResult result = parity::verify::verify_file(model.path, fill, executors, verifying,
                                                         observer != nullptr ? *observer : silent, std::move(shared));
  if (!again) forget_repro(result);
  result.notes.insert(result.notes.begin(), model.notes.begin(), model.notes.end());
  result.subject.origin.is_of_file &= model.is_of_file;
  return result;
}

}  // namespace

cases::CaseResult verify(const Model& model, ir::Executor& candidate, const VerifyOptions& options,
                         cases::Observer* observer) {
  return verify_one(model, candidate, options, observer, nullptr);
}

std::vector<cases::CaseResult> verify_each(const Model& model, const std::vector<ir::Executor*>& candidates,
                                           const VerifyOptions& options, cases::Observer* observer) {
  const auto shared = candidates.size() > 1 ? std::make_shared<parity::verify::SharedCase>() : nullptr;
  std::vector<cases::CaseResult> results;
  for (ir::Executor* const candidate : candidates)
    results.push_back(verify_one(model, *candidate, options, observer, shared));
  return results;
}

cases::CaseResult verify(const ir::Graph& graph, const ir::Feeds& feeds, ir::Executor& candidate,
                         const VerifyOptions& options, cases::Observer* observer) {
  const auto file = std::make_shared<ir::formats::GraphFile>();
  file->graph = graph;
  for (const auto& [name, tensor] : feeds) file->sources.insert_or_assign(name, tensor);
  return verify(Model{.path = "graph", .file = file, .is_of_file = false}, candidate, options, observer);
}

void set_fill(const std::string& text, std::string_view flag, parity::verify::FillOptions& options) {
  const std::size_t colon = text.find(':');
  if (text.substr(0, colon) == "adversarial") {
    options.kind = parity::core::FillKind::adversarial;
    if (colon != std::string::npos) options.adversarial = ir::adversarial::kind_named(text.substr(colon + 1));
    return;
  }
  ir::require(text == "graph" || text == "exact", flag, " is graph, exact, adversarial or adversarial:NAME, got '",
              text, "'");
  if (text == "exact") options.kind = parity::core::FillKind::exact;
}

cases::CaseResult check(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const std::vector<ir::Tensor>& got,
                        const CheckOptions& options) {
  ir::TensorTypes types;
  for (const ir::Tensor& input : inputs) types.push_back(input.type());
  const ir::Graph graph = ir::graph_of(op, types);
  ir::Feeds feeds;
  for (std::size_t k = 0; k < inputs.size(); ++k) feeds.emplace(graph.inputs()[k], inputs[k]);
  const auto give = [&](ir::Feeds&, const std::vector<parity::foreign::AskedValue>& /*asked*/) {
    const std::size_t count = graph.results().size();
    if (got.size() != count)
      throw parity::core::CandidateError(
          ir::cat(op.name(), " has ", parity::core::terminal::counted(count, "output"), ", got ", got.size()));
    parity::foreign::AnsweredValues given;
    for (std::size_t k = 0; k < count; ++k) given.emplace_back(graph.name(graph.results()[k]), got[k]);
    return given;
  };
  const auto candidate = parity::foreign::candidate_of(
      give, {.name = "given", .keeps_subnormals = options.keeps_subnormals, .sums = options.sums, .computes = false});
  VerifyOptions verifying{.profile = options.profile, .threads = options.threads};
  verifying.verify.gate = options.gate;
  cases::CaseResult result = verify(graph, feeds, *candidate, verifying);
  result.subject.name = parity::check::name_of({.op = op, .operands = types});
  return result;
}

parity::core::Outcome outcome_of(const cases::CaseResult& result, const parity::core::Demands& demands) {
  return parity::core::outcome_of(parity::verify::ends_of(std::span(&result, 1)), demands);
}

}  // namespace plumb::library
