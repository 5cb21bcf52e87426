// Verdicts of the ABI.
#include "library/verify.hpp"

#include <algorithm>
#include <cmath>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/formats/sums_json.hpp"
#include "library/abi/errors.hpp"
#include "library/abi/handles.hpp"
#include "library/abi/structs.hpp"
#include "library/describe.hpp"
#include "library/log.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/profile/emulated_node.hpp"
#include "parity/profile/profile_file.hpp"
#include "parity/report/report.hpp"

using namespace plumb;

namespace plumb::library::abi {
namespace {

namespace cases = parity::cases;

/// A policy at work, which says of each node what decides; nothing where none is named. Tells of expired rules.
std::optional<parity::policy::Gate> gate_of(const char* policy) {
  if (policy == nullptr) return std::nullopt;
  parity::policy::Gate made{.policy = parity::policy::read(policy), .today = parity::policy::today(), .explain = "*"};
  for (const parity::core::RunFinding& one : parity::policy::expired_rules(made.policy, made.today)) tell(one.text);
  return made;
}

/// A profile of a file; nothing where none is named.
std::optional<parity::profile::DeviceProfile> profile_of(const char* path) {
  if (path == nullptr) return std::nullopt;
  return parity::profile::read_profile(path);
}

/// An account of how an op was summed; empty where none is given.
std::vector<ir::Sum> sums_of(const char* text) {
  if (text == nullptr) return {};
  try {
    std::vector<ir::Sum> sums = ir::formats::parse_sums(text);
    for (const ir::Sum& sum : sums) ir::formats::require_modest(sum);
    return sums;
  } catch (const ir::Error& error) {
    ir::fail("options.sums: ", error.what());
  }
}

parity::core::Mode mode_of(const char* text) {
  const std::string name = text_or(text, "attribute");
  const auto mode = ir::enum_value<parity::core::Mode>(name);
  ir::require(mode.has_value(), "mode: is attribute, propagate or isolate, got '", name, "'");
  return *mode;
}

/// Tells the caller how far a verification is, who may end it.
class Progress final : public cases::Observer {
 public:
  explicit Progress(const plumb_verify_options& options) : options_(options) {}

  void step(std::string_view what, std::size_t done, std::size_t steps) override {
    tell_progress(options_, what, done, steps);
  }

 private:
  const plumb_verify_options& options_;
};

parity::core::Coverage coverage_of(const plumb_verify_options& given) {
  parity::core::Coverage made = given.strict != 0 ? parity::core::strict_coverage : parity::core::usual_coverage;
  const auto set = [](double& share, double wanted, std::string_view field) {
    ir::require(wanted >= 0 && wanted <= 1, field, ": is a share from 0 to 1, got ", wanted);
    if (wanted != 0) share = wanted;
  };
  set(made.flops, given.min_verified_work, "options.min_verified_work");
  set(made.elements, given.min_verified_elements, "options.min_verified_elements");
  return made;
}

VerifyOptions options_of(const plumb_verify_options& given) {
  VerifyOptions made{.threads = given.threads};
  made.verify.maps = parity::cases::KeepMaps::worst;  // as verify -o has them: the result may be saved
  ir::require(given.threads >= 0, "options.threads: is ", given.threads);
  if (given.seed != 0) made.fill.seed = given.seed;
  if (given.fill != nullptr) set_fill(given.fill, "options.fill", made.fill);
  if (given.dtype != 0) {
    const ir::DType dtype = dtype_of(given.dtype, "options.dtype");
    ir::require(dtype == ir::DType::f16 || dtype == ir::DType::bf16, "options.dtype: is f16 or bf16, got ", dtype);
    made.fill.dtype = dtype;
  }
  made.fill.expected = feeds_of(given.expected, given.expected_count, "options.expected");
  made.verify.filter = text_or(given.filter, "");
  if (given.repeat != 0) made.verify.repeat = given.repeat;
  made.verify.mode = mode_of(given.mode);
  made.verify.min_verified = coverage_of(given);
  made.verify.plain = given.no_plain == 0;
  made.verify.metamorphic = given.metamorphic != 0;
  if (!made.fill.expected.empty()) made.verify.expected = parity::checks::expected::Options{};
  return made;
}

/// By what results of a candidate are made, on a profile where there is one.
plumb_result::Made made_by(const ir::Executor& candidate, const parity::profile::DeviceProfile* profile,
                           const char* profile_file, int threads) {
  plumb_result::Made made{.profile_file = text_or(profile_file, ""), .threads = threads};
  if (const auto* const device = dynamic_cast<const gpu_vulkan::VulkanExecutor*>(&candidate))
    made.device = describe(device->facts());
  if (profile != nullptr) made.device.profile = parity::profile::profile_attributes(*profile);
  return made;
}

/// The element that came closest to its limit, or beyond it.
void add_worst(const parity::compare::Comparison& comparison, plumb_row& row) {
  row.worst = -1;
  row.got = row.truth = row.allowed = std::nan("");
  if (comparison.worst.empty()) return;
  const parity::compare::Worst& worst = comparison.worst.front();
  row.worst = static_cast<std::int64_t>(worst.index);
  row.got = worst.got;
  row.truth = worst.expected;
  row.allowed = worst.allowed;
}

}  // namespace
}  // namespace plumb::library::abi

plumb_result::plumb_result(parity::cases::CaseResult of, const parity::core::Demands& demands, Made by)
    : result(std::move(of)),
      outcome(library::outcome_of(result, demands)),
      verdict(ir::enum_name(result.verdict)),
      made(std::move(by)) {
  for (const parity::cases::NodeResult& node : result.nodes) {
    Row row{.label = node.name(),
            .op = node.op,
            .verdict = std::string(ir::enum_name(node.verdict)),
            .why = node.why,
            .kernel = node.kernel,
            .paired = std::string(ir::enum_name(node.paired)),
            .repro = node.repro};
    if (result.subject.file && node.node < result.subject.file->graph.nodes().size()) {
      const ir::Graph& graph = result.subject.file->graph;
      const ir::Value value = graph.nodes()[node.node].outputs.at(node.output);
      row.is_result = std::ranges::find(graph.results(), value) != graph.results().end();
    }
    rows.push_back(std::move(row));
  }
}

using library::abi::guarded;

namespace {

/// Judges candidates, one or several, and hands back a result for each.
std::vector<std::unique_ptr<plumb_result>> judged(const plumb_graph* graph, const plumb_tensor* inputs, size_t count,
                                                  const std::vector<library::OpenedCandidate*>& candidates,
                                                  const plumb_verify_options* options) {
  const plumb_graph& of = library::abi::require_handle(graph, "graph");
  const auto given = library::abi::read(options, "options");
  library::VerifyOptions made = library::abi::options_of(given);
  made.fill.given = library::abi::feeds_of(inputs, count, "inputs");
  const auto has_inputs = [](const library::OpenedCandidate* one) { return bool(one->inputs); };
  const auto dump = std::ranges::find_if(candidates, has_inputs);
  if (dump != candidates.end() && made.fill.given.empty()) made.fill.read_given = (*dump)->inputs;
  const auto gate = library::abi::gate_of(given.policy);
  made.verify.gate = gate ? &*gate : nullptr;
  const auto profile = library::abi::profile_of(given.profile);
  made.profile = profile ? &*profile : nullptr;
  library::abi::Progress progress(given);
  std::vector<ir::Executor*> executors;
  for (library::OpenedCandidate* const one : candidates) executors.push_back(one->executor.get());
  std::vector<std::unique_ptr<plumb_result>> results;
  std::vector<parity::cases::CaseResult> cases = library::verify_each(of.model, executors, made, &progress);
  for (std::size_t k = 0; k < cases.size(); ++k)
    results.push_back(std::make_unique<plumb_result>(
        std::move(cases[k]), parity::core::Demands{.strict = given.strict != 0, .verified = given.verified != 0},
        library::abi::made_by(*candidates[k]->executor, made.profile, given.profile, given.threads)));
  return results;
}

}  // namespace

plumb_error* plumb_verify(const plumb_graph* graph, const plumb_tensor* inputs, size_t count, plumb_executor* candidate,
                          const plumb_verify_options* options, plumb_result** result) {
  return guarded([&] {
    library::abi::require_place(result, "result");
    auto& one = *library::abi::require_handle(candidate, "candidate").opened;
    *result = judged(graph, inputs, count, {&one}, options).front().release();
  });
}

plumb_error* plumb_verify_each(const plumb_graph* graph, const plumb_tensor* inputs, size_t count,
                               plumb_executor* const* candidates, size_t candidate_count,
                               const plumb_verify_options* options, plumb_result** results) {
  return guarded([&] {
    library::abi::require_place(results, "results");
    ir::require(candidates != nullptr && candidate_count > 0, "candidates: there are none");
    std::vector<library::OpenedCandidate*> each;
    for (std::size_t k = 0; k < candidate_count; ++k)
      each.push_back(library::abi::require_handle(candidates[k], ir::cat("candidates[", k, "]")).opened.get());
    auto made = judged(graph, inputs, count, each, options);
    for (std::size_t k = 0; k < made.size(); ++k) results[k] = made[k].release();
  });
}

plumb_error* plumb_check(const char* op, const char* attributes, const plumb_tensor* inputs, size_t input_count,
                         const plumb_tensor* got, size_t got_count, const plumb_check_options* options,
                         plumb_result** result) {
  return guarded([&] {
    library::abi::require_place(result, "result");
    const ir::Op made = library::abi::op_of(op, attributes);
    const auto given = library::abi::read(options, "options");
    const auto gate = library::abi::gate_of(given.policy);
    const auto profile = library::abi::profile_of(given.profile);
    ir::require(given.threads >= 0, "options.threads: is ", given.threads);
    const std::vector<ir::Sum> sums = library::abi::sums_of(given.sums);
    parity::cases::CaseResult judgement = library::check(made, library::abi::copies_of(inputs, input_count, "inputs"),
                                                         library::abi::copies_of(got, got_count, "got"),
                                                         {.sums = sums,
                                                          .keeps_subnormals = given.keeps_subnormals != 0,
                                                          .gate = gate ? &*gate : nullptr,
                                                          .profile = profile ? &*profile : nullptr,
                                                          .threads = given.threads});
    *result = new plumb_result(std::move(judgement), {.strict = given.strict != 0},
                               {.profile_file = library::abi::text_or(given.profile, ""), .threads = given.threads});
  });
}

int plumb_result_exit(const plumb_result* result) {
  return result != nullptr ? static_cast<int>(result->outcome.exit) : PLUMB_ERROR_INVALID;
}

const char* plumb_result_verdict(const plumb_result* result) {
  return result != nullptr ? result->verdict.c_str() : "";
}

const char* plumb_result_message(const plumb_result* result) {
  return result != nullptr ? result->result.message.c_str() : "";
}

size_t plumb_result_rows(const plumb_result* result) { return result != nullptr ? result->rows.size() : 0; }

plumb_error* plumb_result_row(const plumb_result* result, size_t k, plumb_row* row) {
  return guarded([&] {
    const plumb_result& of = library::abi::require_handle(result, "result");
    library::abi::require_row(of, k);
    const parity::cases::NodeResult& node = of.result.nodes[k];
    const plumb_result::Row& texts = of.rows[k];
    plumb_row made{};
    made.group = static_cast<std::uint32_t>(node.group);
    made.label = texts.label.c_str();
    made.op = texts.op.c_str();
    made.verdict = texts.verdict.c_str();
    made.why = texts.why.c_str();
    made.kernel = texts.kernel.c_str();
    made.paired = texts.paired.c_str();
    made.repro = texts.repro.c_str();
    const parity::compare::Comparison& comparison = node.gated();
    made.error = comparison.max_abs.value;
    made.ratio = comparison.ratio();
    made.ulp = comparison.max_ulp.value;
    library::abi::add_worst(comparison, made);
    made.is_guilty = node.is_guilty ? 1 : 0;
    made.is_result = texts.is_result ? 1 : 0;
    library::abi::write(made, row, "row");
  });
}

const char* plumb_result_text(plumb_result* result) {
  if (result == nullptr) return "";
  const auto make = [&] { result->text = parity::report::to_table(result->result, parity::report::Detail::worst); };
  if (result->text.empty()) plumb_error_free(guarded(make));
  return result->text.c_str();
}

const char* plumb_result_json(plumb_result* result) {
  if (result == nullptr) return "";
  const auto make = [&] { result->json = parity::report::to_json(std::span(&result->result, 1), result->outcome); };
  if (result->json.empty()) plumb_error_free(guarded(make));
  return result->json.c_str();
}

void plumb_result_free(plumb_result* result) { delete result; }
