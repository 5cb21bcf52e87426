#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parity/case.hpp"
#include "parity/certify/certificate.hpp"
#include "parity/mode.hpp"
#include "parity/relations/relation_result.hpp"
#include "parity/tolerance.hpp"
#include "parity/vacuity.hpp"
#include "parity/verdict.hpp"

namespace plumb::parity {

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

}  // namespace plumb::parity
