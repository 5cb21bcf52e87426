#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parity/cases/case.hpp"
#include "parity/cases/certificate.hpp"
#include "parity/cases/expected_result.hpp"
#include "parity/cases/identity.hpp"
#include "parity/cases/limit_parts.hpp"
#include "parity/cases/oracle_sample.hpp"
#include "parity/cases/pairing.hpp"
#include "parity/cases/pattern.hpp"
#include "parity/cases/plain_run.hpp"
#include "parity/cases/relation_result.hpp"
#include "parity/cases/replay_sample.hpp"
#include "parity/cases/sensitivity.hpp"
#include "parity/cases/settled.hpp"
#include "parity/cases/statistics.hpp"
#include "parity/cases/units.hpp"
#include "parity/compare/false_alarms.hpp"
#include "parity/compare/telling.hpp"
#include "parity/compare/vacuity.hpp"
#include "parity/core/mode.hpp"
#include "parity/core/verdict.hpp"

namespace plumb::parity::cases {

/// Which output of which node it is, and how the candidate computed it.
struct NodeOutput {
  std::size_t node = 0, output = 0;
  std::string label = {}, op = {};
  std::vector<ir::DType> in = {};
  ir::TensorType type = {};

  std::int64_t step = 0;         ///< Case::step, of a node among those of several steps
  bool is_of_plain_run = false;  ///< as it came from the graph compiled for its results alone
  ir::Placement placement = ir::Placement::gpu;
  std::string kernel = {}, tile = {}, placement_reason = {};
  std::vector<ir::Sum> sums = {};          ///< how the kernel adds
  bool marked_bools = false;               ///< bools were neither false nor true before it wrote them
  std::size_t group = 1;                   ///< how many nodes were judged as one: it, and those with unknown values
  Pairing paired = Pairing::none;          ///< how the output was found among the candidate's tensors
  core::Proof proof = {};                  ///< an exact twin's
  std::optional<std::uint64_t> hash = {};  ///< hash of the candidate's output
  std::optional<std::uint64_t> device_ns = {};
  std::string repro = {};  ///< the command that runs just this again

  /// "label" or "label:1".
  std::string name() const;
};

/// Who made the NaNs and infinities of an output, in the truth of its own operands or in what came:
///
///   none       there is none, and no truth is beyond the dtype
///   input      the case: its inputs, params, constants or attributes have such numbers
///   domain     the node: the truth of finite operands is not finite, or is the NaN of infinities
///   overflow   the dtype: the truth is finite, and rounded it is not; or intermediate results may leave the range
///   fault      the candidate: the truth is finite, rounded too, or at least no NaN, and what came is
///   inherited  a node before it, by what the candidate computed there
enum class Special { unknown, none, input, domain, overflow, fault, inherited };

constexpr auto enum_names(Special) {
  return std::array<std::string_view, 7>{"unknown", "none", "input", "domain", "overflow", "fault", "inherited"};
}

/// Whether the node is the first that has such numbers, for a reason of its own.
constexpr bool is_made(Special special) {
  return special == Special::domain || special == Special::overflow || special == Special::fault;
}

/// The gravest class of an output's elements: fault before overflow, domain, input and inherited.
struct SpecialClass {
  Special of = Special::unknown;  ///< unknown: not judged, or not recorded
  std::uint64_t at = 0;           ///< the first element of that class
};

/// How far an output is off, how far it may be, and which of its elements say something by agreeing.
struct Measured {
  /// local: the candidate's output against the truth of the candidate's own inputs.
  /// inherited: what those inputs had wrong already, carried through the truth.
  /// total: against the truth of the graph as it was written, from its inputs on.
  compare::Comparison local = {}, inherited = {}, total = {};
  /// Where f32 was replaced (--dtype): against the truth of the graph that this made, whose inputs and weights are
  /// rounded already; local + inherited. Without it that sum is the total.
  std::optional<compare::Comparison> converted = {};
  bool gates_total = false;                          ///< the total of the run is judged rather than local
  double amplification = compare::not_computed;      ///< how much it enlarged its inputs' errors (attribution.hpp)
  std::vector<double> blame = {};                    ///< its share of the error of each result, where that was measured
  std::optional<compare::Comparison> expected = {};  ///< the output against what the file expects of it
  compare::Allowed allowed = {};
  double lambda = compare::not_computed;  ///< the standard deviations that `allowed` allows for
  std::optional<LimitParts> limit = {};   ///< as a results file kept it; limit_parts() knows it in any case
  Certificate certificate = {};           ///< for the truth of its own inputs
  Settled settled = {};                   ///< elements that were looked at one by one
  Units units = {};                       ///< the unit of its ratios, and choices that were read off
  compare::Telling telling = {};          ///< which elements say something, where it was compared
  compare::Vacuity vacuity = {};          ///< where it was compared
  SpecialClass special = {};              ///< who made its NaNs and infinities
  std::optional<std::uint64_t> reference_ns = {};

  std::optional<double> emulator_ulp = {};    ///< how far from what the emulator replays, where it was asked to
  std::optional<double> emulator_share = {};  ///< likewise, of attention: in halves of what its elements may be off
  std::string emulator_pattern = {};          ///< common traits of elements that are not as it replays them

  /// The error in total against the truth of the graph that ran.
  const compare::Comparison& of_run() const { return converted ? *converted : total; }
  const compare::Comparison& gated() const { return gates_total ? of_run() : local; }
  /// How what is judged came out, in a sentence: of elements, or of units of another kind.
  std::string summary() const;
};

/// Findings of samples of an output, on the truth, the kernel and what agreement proves, and common traits of its
/// failures.
struct Checked {
  OracleSample oracle = {};            ///< elements of the truth, held to the definition of the op
  ReplaySample replays = {};           ///< elements that were added up again as the kernel says
  Sensitivity sensitivity = {};        ///< whether a sample of it would notice small faults
  Statistics statistics = {};          ///< how a sample of its sums rounds
  std::vector<Pattern> patterns = {};  ///< common traits of elements that failed
};

/// The verdict on an output, and why.
struct Judged {
  core::Verdict verdict = core::Verdict::skipped;
  bool lacks_truth = false;              ///< skipped, since the op cannot be computed in reference precision
  std::string why = {};                  ///< reason for the verdict; never empty unless passed
  bool is_guilty = false;                ///< its own error is more than it may be
  std::string total_beyond = {};         ///< policy::Judgement
  std::optional<std::size_t> rule = {};  ///< the policy's rule that decided
  std::string explanation = {};          ///< which rules were asked, where somebody wants to know
};

/// One output of one node. The parts are bases rather than members because each is made by a function of its own and
/// all are read by the same names: in tables, records and rules of policies.
struct NodeResult : NodeOutput, Measured, Checked, Judged {};

/// The result of an output of which nothing is known yet but where it comes from.
inline NodeResult result_of(NodeOutput output) { return {std::move(output), {}, {}, {}}; }

/// The name of output `output` of the node `label`: "label" or "label:1".
std::string output_name(std::string_view label, std::size_t output);

enum class NonFinite { nan, infinity };

constexpr auto enum_names(NonFinite) { return std::array<std::string_view, 2>{"nan", "infinity"}; }

/// Where a run first has a NaN, or an infinity, that no node before it had; not an infinity that the case has itself,
/// as masks do.
struct NonFiniteOrigin {
  NonFinite kind = NonFinite::nan;
  std::string node;          ///< "label" or "label:1"
  std::int64_t element = 0;  ///< the first of its output, in row-major order
  std::string from;          ///< the operation and its operands: "-inf - -inf"
  Special special = Special::unknown;
  std::uint64_t elements = 0;  ///< how many of its output are of this kind and class
  std::uint64_t heirs = 0;     ///< how many nodes inherit numbers of this kind
};

/// The policy that judged a case.
struct JudgedBy {
  std::string file = {}, text = {};            ///< as it was named, and what it says; "" without one
  std::vector<std::size_t> rules_ending = {};  ///< rules that excuse failures for a few days more
};

struct CaseResult {
  Case subject;  ///< without its feeds
  core::Verdict verdict = core::Verdict::error;
  core::ExitCode exit = core::ExitCode::tool_error;
  bool meets_must = false;                       ///< it failed, or was refused, as its file says that it must
  std::string message;                           ///< an error's text, or why nothing ran
  std::vector<std::string> notes;                ///< further remarks for a reader
  std::vector<NodeResult> nodes;                 ///< in the order of the graph
  std::vector<NonFiniteOrigin> non_finite = {};  ///< the first NaN and the first infinity, where there are such
  PlainRun plain = {};
  std::string candidate = {};                  ///< as one that is not ours describes itself: "onnxruntime 1.30, cpu"
  std::vector<RelationResult> relations = {};  ///< where they were asked
  std::vector<ExpectedResult> expected = {};   ///< for each tensor that another implementation gave
  RunSettings settings = {};
  JudgedBy judged_by = {};
  Identity identity = {};  ///< empty where nobody asked for it
  Uuid uuid = {};          ///< likewise
  std::string repro;
  core::Mode mode = core::Mode::attribute;
  unsigned repeat = 1;
  bool may_flush = false;                              ///< whether limits allow 0 in place of a subnormal
  core::Coverage coverage = {};                        ///< how much was verified
  core::Coverage min_verified = core::usual_coverage;  ///< and how much was asked for
  double wall_seconds = 0;
  unsigned attempt = 1;                    ///< at this run, where a device fault has it tried again
  bool is_retried = false;                 ///< it ended in a device fault, and another attempt followed
  std::vector<std::string> attempts = {};  ///< how the attempts before it ended
  compare::FalseAlarms false_alarms = {};  ///< by which all of its limits were made
};

/// The first node, in the order of the graph, whose own error is beyond what it is allowed; none when there is no such.
const NodeResult* first_guilty(const CaseResult& result);

}  // namespace plumb::parity::cases
