#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/certify/certificate.hpp"
#include "parity/exactness.hpp"
#include "parity/mode.hpp"
#include "parity/profile.hpp"
#include "parity/relations/relation_result.hpp"
#include "parity/tolerance.hpp"
#include "parity/vacuity.hpp"
#include "parity/verdict.hpp"

namespace plumb::parity::policy {
struct Gate;
}

namespace plumb::parity {

/// How close results must come to what somebody else's evaluation of the graph gave:
/// |got - expected| <= absolute + relative |expected|.
struct Closeness {
  double relative = 1e-3, absolute = 1e-7;
};

/// One graph and everything it is fed.
struct Case {
  std::string name = {};  ///< the file's path, as given
  std::shared_ptr<const ir::GraphFile> file = {};
  ir::Feeds feeds = {};
  std::uint64_t seed = 1;
  std::optional<ir::DType> dtype = {};  ///< what f32 was replaced by; then the file's expectations do not apply
  std::optional<Closeness> expected_within =
      {};  ///< of the device, where the file's expectations are somebody else's evaluation, not the truth
  std::string precision = {};  ///< what FillOptions said of it
  FillKind fill = FillKind::graph;
  std::vector<Proof> proofs = {};  ///< by node, of an exact twin; nodes that are proved must give the very bits
};

/// Reads a graph and what goes with it from a file of some format.
using GraphReader = std::function<ir::GraphFile(const std::filesystem::path&)>;

struct FillOptions {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> param_seed = {};  ///< of generated params, where it is not that of the inputs
  std::optional<ir::DType> dtype = {};           ///< f16 or bf16: run the graph's f32 values in this storage
  ir::Feeds given = {};                          ///< tensors in place of those that the file describes
  std::uint64_t memory_budget = ir::usual_memory_budget;
  GraphReader read = ir::read_graph;
  std::optional<Closeness> expected_within = {};
  std::string precision = {};       ///< which nodes multiply in f16 (parity/precision_plan.hpp); none unless said
  FillKind kind = FillKind::graph;  ///< exact: the case becomes its exact twin
};

/// Reads a graph file and makes its tensors. Throws Error; before anything is
/// allocated when the run would need more than the memory budget.
Case load_case(const std::filesystem::path& path, const FillOptions& options);

/// Bytes that verifying a graph holds at once, at most.
double memory_needed(const ir::Graph& graph);

/// Who is compared with whom.
struct Executors {
  ir::Executor& reference;                 ///< the CPU executor: truth on widened graphs, honest evaluation as it is
  ir::Executor* candidate = nullptr;       ///< nothing when there is no device
  std::string why_not = {};                ///< then why
  bool candidate_is_host = false;          ///< it is meant to run on the CPU: that is no fallback
  bool flushes_subnormals = false;         ///< the candidate may give 0 for f32 and f64 subnormals
  const DeviceProfile* profile = nullptr;  ///< how the candidate sums products; the safe scale without
};

struct VerifyOptions {
  std::string filter = {};             ///< regular expression over labels of the nodes to judge; empty for all
  unsigned repeat = 1;                 ///< runs of the candidate, which must agree in every bit
  std::string flags = {};              ///< what a repro line repeats besides file, seed, dtype and node: " --device 1"
  const policy::Gate* gate = nullptr;  ///< what decides in place of the bound
  const DeviceProfile* emulated = nullptr;  ///< matrix products are replayed as it says, beside the comparison
  Mode mode = Mode::attribute;
  std::optional<std::size_t> blame = {};  ///< nodes to measure the blame of; else a few of a case that failed
  bool metamorphic = false;  ///< also asks what must hold whatever is right (docs/metamorphic.md)
};

/// One output of one node.
struct NodeResult {
  std::size_t node = 0, output = 0;
  std::string label = {}, op = {};
  std::vector<ir::DType> in = {};
  ir::TensorType type = {};

  ir::Placement placement = ir::Placement::gpu;
  std::string kernel = {}, placement_reason = {};

  /// local: the device's output against the truth of the device's own inputs.
  /// inherited: what those inputs had wrong already, carried through the truth.
  /// total: against the truth of the graph from its inputs on; local + inherited.
  Comparison local = {}, inherited = {}, total = {};
  bool gates_total = false;                 ///< what is judged: total rather than local
  double amplification = not_computed;      ///< of what its inputs had wrong (attribution.hpp)
  bool is_guilty = false;                   ///< its own error is more than it may be
  std::vector<double> blame = {};           ///< its share of the error of each result, where that was measured
  std::optional<Comparison> expected = {};  ///< the device's output against what the file expects of it
  Allowed allowed = {};
  Certificate certificate = {};  ///< of the truth of its own inputs
  Vacuity vacuity = {};          ///< where it was compared
  Proof proof = {};              ///< of an exact twin

  Verdict verdict = Verdict::skipped;
  std::string why = {};    ///< what the verdict rests on; never empty unless passed
  std::string repro = {};  ///< the command that runs just this again

  std::optional<std::size_t> rule = {};  ///< of the policy, the one that decided
  std::string explanation = {};          ///< which rules were asked, where somebody wants to know

  std::optional<double> emulator_ulp = {};  ///< how far from what the emulator replays, where it was asked to

  std::optional<std::uint64_t> reference_ns = {}, device_ns = {};
  std::optional<std::uint64_t> hash = {};  ///< of the device's output

  /// "label" or "label:1".
  std::string name() const;
  const Comparison& gated() const { return gates_total ? total : local; }
};

struct CaseResult {
  Case subject;  ///< without its feeds
  Verdict verdict = Verdict::error;
  ExitCode exit = ExitCode::tool_error;
  std::string message;                         ///< of an error, or why nothing ran
  std::vector<std::string> notes;              ///< what a reader should know besides
  std::vector<NodeResult> nodes;               ///< in the order of the graph
  std::vector<RelationResult> relations = {};  ///< where they were asked
  std::string repro;
  Mode mode = Mode::attribute;
  unsigned repeat = 1;
  bool may_flush = false;  ///< whether limits allow 0 in place of a subnormal
  double wall_seconds = 0;
  double alpha = not_computed;  ///< of the policy's budget of false alarms, what one comparison may take
};

/// Told what happens while a case runs.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A case was filled and is about to run.
  virtual void begins(const Case& subject);

  /// `done` of `steps` are finished, and `what` is next.
  virtual void step(std::string_view what, std::size_t done, std::size_t steps);

  /// A node was compared: the truth of its inputs, and what came.
  virtual void compared(const NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got);
};

/// Tells several observers.
class Observers final : public Observer {
 public:
  explicit Observers(std::vector<Observer*> all) : all_(std::move(all)) {}

  void begins(const Case& subject) override;
  void step(std::string_view what, std::size_t done, std::size_t steps) override;
  void compared(const NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) override;

 private:
  std::vector<Observer*> all_;
};

/// Runs the candidate once, keeping every value that survives its passes, and compares
/// each node's outputs with the truth (ops.md 1.10): the widened op on the very
/// inputs that the candidate's node had, so that one bad node is not blamed on its successors. In mode isolate
/// the candidate runs each node alone instead, on the truth of its operands.
/// What the file says of results is held against the truth of the whole graph. Throws as the executors do.
CaseResult verify(const Case& subject, const Executors& executors, const VerifyOptions& options, Observer& observer);

/// load_case and verify; what is thrown becomes the verdict of the case.
CaseResult verify_file(const std::filesystem::path& path, const FillOptions& fill, const Executors& executors,
                       const VerifyOptions& options, Observer& observer);

/// The exit code of a run: of a strict one, mistrusted cases count.
ExitCode exit_code(std::span<const CaseResult> cases, bool strict);

}  // namespace plumb::parity
