#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/executor.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/hdf5/table_type.hpp"
#include "parity/cases/expected_result.hpp"
#include "parity/cases/identity.hpp"
#include "parity/cases/limit_parts.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/cases/pairing.hpp"
#include "parity/cases/pattern.hpp"
#include "parity/cases/plain_run.hpp"
#include "parity/cases/relation_result.hpp"
#include "parity/cases/units.hpp"
#include "parity/compare/compare.hpp"
#include "parity/core/exactness.hpp"
#include "parity/core/mode.hpp"
#include "parity/core/verdict.hpp"
#include "parity/profile/profile.hpp"

/// The rows of a results file (docs/results.md), as plain data: what the file's compound types,
/// its schema and its check are all derived from. A float that was not computed is NaN, an
/// index or a count that does not exist is `no_number`.
namespace plumb::parity::results {

inline constexpr std::uint64_t no_number = std::numeric_limits<std::uint64_t>::max();

using core::Exactness;
using core::FillKind;

enum class Part { local, inherited, total, converted };
enum class RunKind { verify };
enum class LaunchEnd { unknown, cut_off, ended, resumed };
enum class Scope { device, workgroup, subgroup, queue_family };

constexpr auto enum_names(Part) { return std::array<std::string_view, 4>{"local", "inherited", "total", "converted"}; }
constexpr auto enum_names(RunKind) { return std::array<std::string_view, 1>{"verify"}; }
constexpr auto enum_names(LaunchEnd) {
  return std::array<std::string_view, 4>{"unknown", "cut_off", "ended", "resumed"};
}
constexpr auto enum_names(Scope) {
  return std::array<std::string_view, 4>{"device", "workgroup", "subgroup", "queue_family"};
}

/// An enum as files hold it: a byte with names.
template <class E>
struct Code {
  std::uint8_t value = 0;

  Code() = default;
  Code(E e) : value(static_cast<std::uint8_t>(e)) {}
  operator E() const { return static_cast<E>(value); }
};

/// The value of a code, or `otherwise` for one that has no name here.
template <class E>
E known(Code<E> code, E otherwise) {
  return code.value < enum_names(E{}).size() ? static_cast<E>(code) : otherwise;
}

/// A dtype, or none: of a node without operands. Dtypes that came after the first files stand behind none.
struct DTypeCode {
  static constexpr std::uint8_t none = 13;
  std::uint8_t value = none;

  DTypeCode() = default;
  DTypeCode(ir::DType dtype) : value(static_cast<std::uint8_t>(dtype)) {
    if (value >= none) ++value;
  }
};

inline std::optional<ir::DType> dtype_of(DTypeCode code) {
  if (code.value == DTypeCode::none || code.value > ir::dtype_count) return std::nullopt;
  return static_cast<ir::DType>(code.value < DTypeCode::none ? code.value : code.value - 1);
}

/// An op by its place in op_choices().
struct OpCode {
  std::uint16_t value = 0;
};

/// "input", "param", then every op.
const std::vector<std::string>& op_choices();

/// /graph/<sha12>/nodes: first the inputs and params, then the nodes.
struct GraphNode {
  std::uint32_t node = 0, name_id = 0;
  OpCode op;
  DTypeCode dtype_in, dtype_out;
  std::uint8_t rank = 0;
  std::array<std::uint64_t, 8> dims = {};
  std::uint64_t n_elem = 0, k_reduce = 0, flops = 0, bytes = 0;
  Code<Exactness> exact = Exactness::unknown;
};

/// /device/<uuid>/coopmat
struct Coopmat {
  std::uint32_t M = 0, N = 0, K = 0;
  DTypeCode a = {}, b = {}, c = {}, r = {};
  Code<Scope> scope = Scope::subgroup;
  std::uint8_t saturating = 0;
};

/// /runs
struct Run {
  std::uint32_t run = 0;
  double utc = compare::not_computed;
  std::uint64_t seed = 0;
  std::uint32_t graph_id = 0, device_id = 0, env_id = 0, policy_id = 0;
  Code<core::Mode> mode = core::Mode::attribute;
  std::uint32_t precision_id = 0;
  Code<FillKind> fill = FillKind::graph;
  std::uint32_t repeat = 1;
  float wall_s = std::numeric_limits<float>::quiet_NaN();
  double alpha = compare::not_computed;
  std::uint64_t first_guilty = no_number;  ///< the row of the graph's node table
  Code<core::Verdict> verdict = core::Verdict::error;
  Code<profile::Subnormals> subnormals = profile::Subnormals::unknown;  ///< flushed: limits allow 0 in place of them
  double coverage_flops = compare::not_computed, coverage_elements = compare::not_computed;  ///< the verified share
  double least_flops = compare::not_computed, least_elements = compare::not_computed;        ///< the demanded share
  Code<cases::Plain> plain = cases::Plain::not_run;
  Code<ir::formats::Must> must = ir::formats::Must::pass;  ///< the outcome that the graph's file demands
  std::uint8_t must_met = 0;                               ///< whether it came to that, where it says fail or refuse
  std::uint32_t fill_name_id = 0;                          ///< which adversarial numbers; "" of other fills
  double lambda = compare::not_computed;                   ///< standard deviations that every limit allowed for
  std::uint64_t n_limits = no_number;                      ///< elements that had such a limit
  std::uint32_t file_id = 0;                               ///< the graph's file, as it was named; not recorded: ""

  // Which run it was (parity/cases/identity.hpp); not recorded: 0, "" and `no_number`.
  cases::Uuid uuid = {};
  std::uint32_t launch = 0;  ///< the row of /launches
  std::uint32_t case_id = 0, subject_id = 0, options_id = 0;
  Code<RunKind> kind = RunKind::verify;
  std::uint64_t param_seed = no_number;
  std::uint32_t alternative = 0;
  std::uint8_t fuse = 1;
  std::uint32_t set_id = 0;  ///< other knobs off their defaults
  std::uint32_t profile_id = 0, profile_file_id = 0, policy_file_id = 0;
  std::uint32_t path_id = 0;   ///< the graph's file with its folders
  std::uint32_t repro_id = 0;  ///< the command that runs it again
  std::uint32_t message_id = 0, notes_id = 0;
  std::uint8_t exit = no_exit;  ///< the exit code of the case
  /// Who computed, as the command line names it, and what a candidate that is not ours says it is.
  std::uint32_t candidate_id = 0, about_id = 0;
  std::uint8_t attempt = 1;       ///< at this run, where device faults have it tried again
  std::uint8_t retried = 0;       ///< another attempt followed, and this row decides nothing
  std::uint32_t attempts_id = 0;  ///< how the attempts before it ended, as notes_id has notes
  std::uint32_t planted_id = 0;   ///< faults that are there on purpose, likewise
  std::uint32_t step = 0;         ///< which token behind a decoder's prompt; 0: the prompt, or no decoder

  static constexpr std::uint8_t no_exit = 255;
  bool is_named() const { return options_id != 0; }
};

/// /launches: a row a start of the program.
struct Launch {
  cases::Uuid uuid = {};
  double utc = compare::not_computed;
  std::uint32_t tool_version_id = 0, commit_id = 0;
  std::uint8_t dirty = 0;
  std::uint32_t argv_id = 0;          ///< the command line as a shell takes it, without the folders of absolute paths
  std::uint64_t planned = no_number;  ///< cases that it was to record
  /// Whether it went as far as it was to: cut off until it did, and unknown before version 2.9. Resumed: it was cut
  /// off, and a later start ran what was missing.
  Code<LaunchEnd> end = LaunchEnd::unknown;
  std::uint16_t shard = 1, shards = 1;  ///< the share of all cases that it was to record
  std::uint32_t partition_id = 0;       ///< a name of the shares that make a whole; "" where there is one
};

/// /results/nodes
struct Node {
  static constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  static constexpr std::uint32_t no_replays = 0xFFFFFFFF;  ///< not recorded

  std::uint32_t run = 0, node = 0;
  std::uint16_t out = 0;
  Code<Part> part = Part::local;
  std::uint64_t n = 0, n_bad = 0, n_nan_ref = 0, n_nan_dev = 0, n_inf_ref = 0, n_inf_dev = 0;
  double max_abs = compare::not_computed;
  std::uint64_t max_abs_at = no_number;
  double max_rel = compare::not_computed;
  std::uint64_t max_rel_at = no_number;
  double max_ulp = compare::not_computed;
  float ulp_p50 = unknown, ulp_p99 = unknown, ulp_p999 = unknown;
  double mean_signed = compare::not_computed, rms = compare::not_computed, nmse = compare::not_computed,
         cosine = compare::not_computed;
  double ref_absmax = compare::not_computed, ref_rms = compare::not_computed, ref_uncert = compare::not_computed;
  double bound_at_max = compare::not_computed, ratio_max = compare::not_computed;
  float ratio_p99 = unknown;
  double ratio_det = compare::not_computed;
  float amplification = unknown, blame = unknown, vacuity = unknown, headroom_f16 = unknown;
  Code<ir::Placement> placement;
  std::uint64_t t_ref_ns = no_number, t_dev_ns = no_number, out_hash = no_number;
  std::int32_t rule = -1;
  Code<core::Verdict> verdict = core::Verdict::skipped;
  std::uint64_t n_nan_differ = no_number, n_inf_differ = no_number;
  double ref_norm1 = compare::not_computed, ref_norm2 = compare::not_computed, ratio_finite = compare::not_computed;
  double emulator_ulp = compare::not_computed;
  std::uint64_t n_recomputed = no_number, n_undecided = no_number;
  std::uint32_t kernel_id = 0, tile_id = 0;
  DTypeCode accumulation;    ///< the accumulator of the kernel's sums; none without sums
  std::int32_t tree = -1;    ///< the row of the graph's list of sums where those of the kernel begin
  std::uint16_t n_sums = 0;  ///< and how many they are
  std::uint64_t n_open = no_number, n_replayed = no_number, n_wide = no_number,
                n_out_of_range = no_number;                          ///< cases::Settled
  std::uint32_t n_oracle = 0, n_oracle_bad = 0;                      ///< cases::OracleSample
  std::uint32_t n_replay = no_replays, n_replay_equal = no_replays;  ///< cases::ReplaySample
  std::uint8_t of_plain_run = 0;
  std::uint8_t no_truth = 0;    ///< skipped, since the op has no truth in reference precision
  std::uint8_t rounds_off = 0;  ///< failed, since it rounds off more than its kernel says
  std::uint8_t guilty = 0;      ///< its own error is more than it may be
  std::uint32_t why_id = 0;     ///< why it is no more than its verdict; "" of what passed
  float sensitivity = unknown;  ///< cases::Sensitivity
  float rho = unknown, bits_accumulator = unknown, bits_operand = unknown, misrounded = unknown,
        misrounded_bound = unknown, bias = unknown, bias_t = unknown;  ///< cases::Statistics
  double lambda = compare::not_computed, sigma_max = compare::not_computed, ratio_certain = compare::not_computed;

  // cases::Units
  Code<cases::UnitKind> kind = cases::UnitKind::element;
  std::uint64_t n_units = no_number, n_free = no_number;
  float free_bound = unknown, residual = unknown, orthogonality = unknown;

  std::uint32_t group = 1;  ///< how many nodes were judged as one
  Code<cases::Pairing> paired = cases::Pairing::none;

  // cases::LimitParts, of the part that was judged
  Code<cases::LimitBy> limit_by = cases::LimitBy::unknown;
  double limit_sigma = compare::not_computed, limit_fixed = compare::not_computed,
         limit_certain = compare::not_computed;

  Code<cases::Special> special = cases::Special::unknown;  ///< cases::SpecialClass, of the local part
  std::uint64_t special_at = no_number;
};

/// /results/relations
struct RelationRow {
  std::uint32_t run = 0, node = 0, name_id = 0;
  Code<cases::Relation> relation;
  std::uint32_t how_id = 0;
  std::uint8_t bitwise = 1;
  std::uint64_t n = 0, n_bad = 0, n_differ = 0;
  double ratio_max = compare::not_computed;
  Code<core::Verdict> verdict = core::Verdict::skipped;
  std::uint32_t why_id = 0;
};

/// /results/pattern
struct PatternRow {
  std::uint32_t run = 0, node = 0;
  std::uint16_t out = 0;
  Code<cases::PatternKind> kind;
  std::int32_t period = 0, phase = 0, k0 = 0, k1 = 0;
  double score = compare::not_computed;
  std::uint32_t text_id = 0;
};

/// /results/maps: compare::RatioMap of the part that was judged
struct MapRow {
  static constexpr std::size_t side = compare::RatioMap::side;

  std::uint32_t run = 0, node = 0;
  std::uint16_t out = 0;
  std::uint8_t of_plain_run = 0;
  std::uint64_t rows = 0, columns = 0;
  std::array<std::uint8_t, side * side> cells = {};
};

/// /results/expected
struct ExpectedRow {
  static constexpr std::size_t kept = compare::Comparison::worst_kept;

  std::uint32_t run = 0, name_id = 0;
  Code<cases::ExpectedRule> rule;
  std::uint32_t runs = 0, precision_id = 0;
  double rtol = compare::not_computed, atol = compare::not_computed;
  std::uint64_t n = 0, n_bad = 0, n_flagged = 0, n_informative = 0;
  double ratio_max = compare::not_computed;
  Code<core::Verdict> verdict = core::Verdict::skipped;
  std::array<std::uint64_t, kept> worst_at = {};
  std::array<double, kept> worst_given = {}, worst_held = {}, worst_limit = {};
  double sigma_max = compare::not_computed;
  std::uint32_t why_id = 0;
};

/// /results/pairs: a result of a graph as two candidates gave it
struct PairRow {
  std::uint32_t run = 0, second_run = 0;  ///< the first candidate's, and the second's
  std::uint32_t value_id = 0, first_id = 0, second_id = 0;
  std::uint64_t n = 0, n_differ = 0;
  double max_abs = compare::not_computed, max_ulp = compare::not_computed;
  double rms_first = compare::not_computed, rms_second = compare::not_computed;
};

/// /results/topk, 8 for each row of /results/nodes
struct TopElement {
  std::uint64_t index = no_number;
  double ref = compare::not_computed, dev = compare::not_computed, bound = compare::not_computed;
};

using ir::hdf5::Column;
using ir::hdf5::Kind;
using ir::hdf5::TableType;

const TableType& graph_node_type();
const TableType& coopmat_type();
const TableType& run_type();
const TableType& launch_type();
const TableType& node_type();
const TableType& relation_type();
const TableType& pattern_type();
const TableType& map_type();
const TableType& expected_type();
const TableType& pair_type();
const TableType& top_element_type();

}  // namespace plumb::parity::results
