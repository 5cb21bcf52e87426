// Verifies a graph file; what is thrown on the way becomes the verdict and exit code of its case.
#include "ir/raw/float_environment.hpp"
#include "parity/checks/exact/twin.hpp"
#include "parity/checks/relations/bucket.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/verify/must.hpp"
#include "parity/verify/shared_case.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::verify {
namespace {

/// The case at larger extents; null where `fill` knows of none.
std::shared_ptr<const checks::relations::Bucket> bucket_of(const std::filesystem::path& path, const FillOptions& fill,
                                                           const cases::Case& subject) {
  if (!fill.read_larger) return nullptr;
  LargerModel model = fill.read_larger(path);
  FillOptions larger = fill;
  larger.read = [&model](const std::filesystem::path&) { return std::move(model.file); };
  larger.read_given = {};
  larger.given.clear();
  larger.read_expected = {};
  larger.expected.clear();
  larger.expected_within.reset();
  return std::make_shared<const checks::relations::Bucket>(
      checks::relations::pad(subject, load_case(path, larger), model.exact, model.rounded));
}

}  // namespace

cases::Case unread_case(const std::filesystem::path& path, const FillOptions& options) {
  return {.name = path.string(),
          .seed = options.seed,
          .dtype = options.dtype,
          .precision = options.precision,
          .fill = options.kind,
          .adversarial = options.adversarial,
          .origin = {.param_seed = options.param_seed, .shapes = options.shapes}};
}

LoadedCase load_file(const std::filesystem::path& path, const FillOptions& fill, const cases::Executors& executors,
                     const VerifyOptions& options, cases::Observer& observer, std::shared_ptr<SharedCase> shared) {
  const ir::raw::FloatEnvironment own;
  const bool is_shared = shared != nullptr;
  LoadedCase loaded;
  cases::CaseResult& result = loaded.result;
  result.subject = unread_case(path, fill);
  result.mode = options.mode;
  result.settings = options.settings;
  result.judged_by = policy::judged_by(options.gate);
  carry_out(path, result, [&] {
    const auto one = shared ? std::move(shared) : std::make_shared<SharedCase>();
    if (!one->subject) {
      observer.step("reading " + path.string(), 0, 0);
      cases::Case subject = load_case(path, fill);
      if (fill.kind == core::FillKind::exact) subject = checks::exact::make_twin(subject, executors.reference);
      if (is_shared)
        one->truths = truths_for(subject, fill.is_held_to_budget ? 0 : static_cast<double>(fill.memory_budget));
      one->subject = std::move(subject);
    }
    result.subject = cases::without_numbers(*one->subject);
    loaded.shared = one;
  });
  result.identity = cases::identity_of(result.subject, result.mode, result.settings);
  return loaded;
}

cases::CaseResult verify_loaded(LoadedCase loaded, const std::filesystem::path& path, const FillOptions& fill,
                                const cases::Executors& executors, const VerifyOptions& options,
                                cases::Observer& observer) {
  const ir::raw::FloatEnvironment own;
  cases::CaseResult result = std::move(loaded.result);
  const cases::Identity identity = result.identity;
  if (loaded.shared)
    carry_out(path, result, [&] {
      SharedCase& one = *loaded.shared;
      if (!one.bucket) one.bucket = bucket_of(path, fill, *one.subject);
      VerifyOptions of_case = options;
      of_case.bucket = one.bucket;
      of_case.truths = one.truths;
      result = verify(*one.subject, executors, of_case, observer);
    });
  result.identity = identity;
  result.uuid = cases::new_uuid();
  return result;
}

cases::CaseResult verify_file(const std::filesystem::path& path, const FillOptions& fill,
                              const cases::Executors& executors, const VerifyOptions& options,
                              cases::Observer& observer, std::shared_ptr<SharedCase> shared) {
  return verify_loaded(load_file(path, fill, executors, options, observer, std::move(shared)), path, fill, executors,
                       options, observer);
}

std::vector<core::CaseEnd> ends_of(std::span<const cases::CaseResult> cases) {
  std::vector<core::CaseEnd> ends;
  for (const cases::CaseResult& one : cases) {
    core::CaseEnd end{.usual = one.exit, .verdict = one.verdict, .name = one.subject.name};
    for (const cases::NodeResult& node : one.nodes) {
      end.nodes.push_back(core::as_counted_by_strict(node.verdict, node.lacks_truth));
      end.labels.push_back(node.name());
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

}  // namespace plumb::parity::verify
