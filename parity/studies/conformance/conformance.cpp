// Runs folders of ONNX's backend tests on both executors, and says how each case stands.
#include "parity/studies/conformance/conformance.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "parity/studies/conformance/disputed.hpp"

namespace plumb::parity::studies::conformance {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view model_name = "model.onnx", data_prefix = "test_data_set_";

SuiteCase case_at(const fs::path& folder, const fs::path& root) {
  SuiteCase one{.name = fs::relative(folder, root).string(), .model = folder / model_name, .data = {}};
  if (one.name == ".") one.name = fs::absolute(folder).lexically_normal().filename().string();
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && entry.path().filename().string().starts_with(data_prefix))
      one.data.push_back(entry.path());
  std::sort(one.data.begin(), one.data.end());
  return one;
}

/// An executor that writes nothing but zeros would agree with all that is expected.
bool proves_nothing(const cases::CaseResult& result) {
  bool any = false;
  for (const cases::NodeResult& node : result.nodes) {
    if (!node.expected || node.expected->n == 0) continue;
    if (node.expected->n_zero_expected < node.expected->n) return false;
    any = true;
  }
  return any;
}

Outcome outcome_of(const cases::CaseResult& result) {
  const auto first_of = [&](core::Verdict verdict) {
    for (const cases::NodeResult& node : result.nodes)
      if (node.verdict == verdict) return node.name() + " (" + node.op + "): " + node.why;
    return result.message;
  };
  switch (result.verdict) {
    case core::Verdict::passed:
    case core::Verdict::mistrusted:  // inner nodes that prove nothing take nothing from results that do
      if (proves_nothing(result)) return {Standing::mistrusted, "all that is expected is zero"};
      return {Standing::passed};
    case core::Verdict::fallback:
    case core::Verdict::unsupported:
      return {Standing::unsupported, first_of(result.verdict)};
    case core::Verdict::skipped:
      // Without a node, results are what was fed, and were held against what is expected.
      if (result.nodes.empty()) return {Standing::passed};
      if (std::ranges::all_of(result.nodes, [](const auto& node) { return node.type.shape.elements() == 0; }))
        return {Standing::passed};  // results without elements, of the type that is expected
      return {Standing::mistrusted, "no node was compared"};
    default:
      return {Standing::failed, first_of(result.verdict)};
  }
}

Outcome run_on(const cases::Case& subject, const cases::Executors& executors) {
  try {
    cases::Observer nobody;
    return outcome_of(verify::verify(subject, executors, {}, nobody));
  } catch (const ir::Unsupported& error) {
    return {Standing::unsupported, error.what()};
  } catch (const ir::DeviceError& error) {
    if (executors.foreign != nullptr) return {Standing::failed, error.what()};
    throw;  // where our device is lost, later cases would tell nothing of the suite
  } catch (const ir::Error& error) {
    return {Standing::failed, error.what()};
  } catch (const std::bad_alloc&) {
    return {Standing::failed, "the host is out of memory"};
  }
}

/// The worse of two data sets.
void worsen(Outcome& outcome, Outcome next) {
  const auto rank = [](Standing standing) {
    constexpr std::array order = {Standing::passed, Standing::mistrusted, Standing::out_of_scope, Standing::unsupported,
                                  Standing::failed};
    return std::find(order.begin(), order.end(), standing) - order.begin();
  };
  if (rank(next.standing) > rank(outcome.standing)) outcome = std::move(next);
}

/// One data set of a case on either executor, held to what the file expects. Where that is disputed and does not come,
/// the nodes' own truths decide, and the case is out of scope if they hold.
class DataSet {
 public:
  DataSet(const fs::path& data, const SuiteCase& one, const SuiteReader& reader, const verify::FillOptions& fill)
      : data_(data), one_(one), reader_(reader), fill_(fill), subject_(loaded(true)) {}

  Outcome run(const cases::Executors& executors) const {
    Outcome outcome = run_on(subject_, executors);
    const std::string_view why = dispute(one_.name);
    if (outcome.standing != Standing::failed || why.empty()) return outcome;
    outcome = run_on(loaded(false), executors);
    return outcome.standing == Standing::passed ? Outcome{Standing::out_of_scope, std::string(why)} : outcome;
  }

 private:
  cases::Case loaded(bool expects) const {
    verify::FillOptions options = fill_;
    options.read = [&](const fs::path&) {
      auto file = reader_.read(one_, data_);
      if (!expects) {
        file.given_outputs.clear();
        file.expected.clear();
      }
      return file;
    };
    return verify::load_case(one_.model, options);
  }

  const fs::path& data_;
  const SuiteCase& one_;
  const SuiteReader& reader_;
  const verify::FillOptions& fill_;
  cases::Case subject_;
};

void run_data(const fs::path& data, const SuiteCase& one, const SuiteReader& reader, const cases::Executors& executors,
              const verify::FillOptions& fill, ConformanceResult& result) {
  const DataSet set(data, one, reader, fill);
  const cases::Executors host{
      .reference = executors.reference, .candidate = &executors.reference, .why_not = {}, .candidate_is_host = true};
  worsen(result.cpu, set.run(host));
  worsen(result.gpu, set.run(executors));
}

}  // namespace

std::vector<SuiteCase> find_suite(const fs::path& root) {
  ir::require(fs::is_directory(root), root.string(), ": is no folder");
  std::vector<SuiteCase> cases;
  if (fs::exists(root / model_name)) cases.push_back(case_at(root, root));
  // A link that leads nowhere, or in a circle, is no folder.
  std::error_code problem, none;
  for (fs::recursive_directory_iterator at(root, problem), end; !problem && at != end; at.increment(problem))
    if (at->is_directory(none) && fs::exists(at->path() / model_name, none)) cases.push_back(case_at(at->path(), root));
  ir::require(!problem, root.string(), ": cannot be read: ", problem.message());
  ir::require(!cases.empty(), root.string(), ": has no folder with a ", model_name);
  std::sort(cases.begin(), cases.end(), [](const SuiteCase& a, const SuiteCase& b) { return a.name < b.name; });
  return cases;
}

ConformanceResult run_conformance(const SuiteCase& one, const SuiteReader& reader, const cases::Executors& executors,
                                  const verify::FillOptions& fill) {
  const auto start = std::chrono::steady_clock::now();
  ConformanceResult result{.name = one.name, .op = "?", .cpu = {Standing::passed}, .gpu = {Standing::passed}};
  const auto both = [&](Standing standing, const std::string& why) { result.cpu = result.gpu = {standing, why}; };
  try {
    const auto subject = reader.subject(one);
    result.op = subject.op;
    if (!subject.out_of_scope.empty())
      both(Standing::out_of_scope, subject.out_of_scope);
    else if (one.data.empty())
      both(Standing::unsupported, "no test_data_set_* folder says what to expect");
    else
      for (const fs::path& data : one.data) run_data(data, one, reader, executors, fill, result);
  } catch (const ir::Unsupported& error) {
    both(Standing::unsupported, error.what());
  } catch (const ir::DeviceError&) {
    throw;
  } catch (const ir::Error& error) {
    const std::string_view why = dispute(one.name);
    both(why.empty() ? Standing::failed : Standing::out_of_scope, why.empty() ? error.what() : std::string(why));
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace plumb::parity::studies::conformance
