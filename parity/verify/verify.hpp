// Verification of a graph file: how a case is filled and loaded, what is judged, and the exit code.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/cases/case.hpp"
#include "parity/cases/executors.hpp"
#include "parity/cases/kept_maps.hpp"
#include "parity/cases/kept_nodes.hpp"
#include "parity/cases/node_filter.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/cases/observer.hpp"
#include "parity/checks/expected/expected.hpp"
#include "parity/core/demands.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::policy {
struct Gate;
}
namespace plumb::parity::judges {
struct ExtraJudges;
}
namespace plumb::parity::checks::relations {
struct Bucket;
}

namespace plumb::parity::verify {

struct CaseTruths;
class MemoryBudget;
struct SharedCase;

/// Reads a graph and what goes with it from a file of some format.
using GraphReader = std::function<ir::formats::GraphFile(const std::filesystem::path&)>;

/// Tensors that are read once it is known what graph they are for. Throws Error where the graph has no use for one.
using TensorReader = std::function<ir::Feeds(const ir::formats::GraphFile&)>;

/// A model at larger extents, at which it is run besides (docs/spec/residency.md C).
struct LargerModel {
  ir::formats::GraphFile file;
  std::string exact, rounded;  ///< the extents of both in words: "seq=77", "seq=128"
};

struct FillOptions {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> param_seed = {};  ///< for generated params, where it is not that of the inputs
  std::optional<ir::DType> dtype = {};           ///< f16 or bf16: run the graph's f32 values in this storage
  ir::Feeds given = {};                          ///< tensors in place of those that the file describes
  std::uint64_t memory_budget = ir::formats::usual_memory_budget;
  bool is_held_to_budget = false;  ///< it is of all that is in memory at once, and verify() sees to it
  TensorReader read_given = {};    ///< tensors in place of those that the file describes
  GraphReader read = ir::formats::read_graph;
  ir::Feeds expected = {};          ///< another implementation's tensors by value, in addition to the file's
  TensorReader read_expected = {};  ///< likewise
  /// Holds the candidate to the tensors of another implementation, as a suite does, and these to no end-to-end limit.
  std::optional<cases::Closeness> expected_within = {};
  std::string precision = {};  ///< which nodes multiply in f16 (parity/cases/precision_plan.hpp); none unless said
  core::FillKind kind = core::FillKind::graph;  ///< exact: the case becomes its exact twin
  /// Where `kind` is adversarial: which numbers; none: the seed chooses.
  std::optional<ir::AdversarialKind> adversarial = {};
  std::vector<std::string> shapes = {};    ///< which shapes `read` was told, "batch=8"
  std::vector<std::string> literals = {};  ///< which numbers it and `read_given` were told, "sr=16000"
  bool has_given = false;                  ///< they were told some, or a file of tensors
  /// Reads the model at larger extents; none where it is to run at its own alone.
  std::function<LargerModel(const std::filesystem::path&)> read_larger = {};
};

/// Whether another implementation's tensor can stand beside a value of this type: the same shape, and the same dtype or
/// another float.
bool may_be_given(const ir::TensorType& given, const ir::TensorType& type);

/// Throws Error, with the file's name, unless the graph has an input or param of this name and type.
void require_given(const ir::formats::GraphFile& file, const std::string& path, std::string_view name,
                   const ir::TensorType& type);

/// Throws Error, with the file's name, unless the graph computes a value of this name beside which a tensor of this
/// type can stand.
void require_expectable(const ir::formats::GraphFile& file, const std::string& path, std::string_view name,
                        const ir::TensorType& type);

/// The case of a file before it is read: what it is named by.
cases::Case unread_case(const std::filesystem::path& path, const FillOptions& options);

/// Reads a graph file and makes its tensors. Throws Error; before anything is
/// allocated when the run would need more than the memory budget.
cases::Case load_case(const std::filesystem::path& path, const FillOptions& options);

/// The case with its f32 values stored in f16 or bf16, its inputs and weights rounded; it keeps what it was as
/// `as_written`. Throws Error where an op takes neither that dtype nor f32.
cases::Case stored_as(const cases::Case& subject, ir::DType dtype);

/// Bytes that verifying a graph holds at once, at most, whatever the number of threads.
double memory_needed(const ir::Graph& graph);

struct VerifyOptions {
  cases::NodeFilter filter = {};       ///< which nodes are judged
  unsigned repeat = 1;                 ///< runs of the candidate, which must agree in every bit
  cases::RunSettings settings = {};    ///< settings of the candidate: a run is named by them
  std::string flags = {};              ///< end of a repro line, after file, seed, dtype and node: " --device 1"
  const policy::Gate* gate = nullptr;  ///< decides in place of the bound; null: the bound does
  const profile::DeviceProfile* emulated = nullptr;  ///< replays the ops that add products; null: none
  core::Mode mode = core::Mode::attribute;
  std::optional<std::size_t> blame = {};  ///< nodes to measure the blame of; else a few of a case that failed
  core::Coverage min_verified = core::usual_coverage;  ///< less of it makes a case mistrusted
  cases::KeepMaps maps = cases::KeepMaps::none;        ///< whose maps of ratios results have
  /// Inputs of the run that the candidate made before this one, where it was another: a failed output may be that.
  std::shared_ptr<const ir::Feeds> before = {};
  bool plain = false;  ///< also runs what is compiled for the results alone, as `plumb run` does (verdict.md V4)
  /// How another implementation's results are held to the truth; not at all where nothing is said.
  std::optional<checks::expected::Options> expected = {};
  bool metamorphic = false;  ///< also asks what must hold whatever is right (docs/metamorphic.md)
  /// The case at larger extents, whose results are held to those of the case; nothing where that is not asked.
  std::shared_ptr<const checks::relations::Bucket> bucket = {};
  /// Holds limits of softmax, norms, attention and recurrences to the steps of more of their elements, each by itself
  /// (verdict.md V58). For data that are no extremes: where exponentials vanish or lines are constant, formulas know
  /// more than the steps say.
  bool asks_programs = false;
  /// The truths of the case, where it is judged again; nothing where it is judged once.
  std::shared_ptr<CaseTruths> truths = {};
  /// How much memory the run may take; as much as is usual where nothing is said.
  std::shared_ptr<MemoryBudget> memory = {};
  /// Keeps nodes as they are judged, and has those of a run that was cut off; null where nobody does.
  cases::KeptNodes* kept = nullptr;
  /// Judges of ops that the program defines for graphs of its own making.
  std::shared_ptr<const judges::ExtraJudges> extra_judges = {};
};

/// Runs the candidate once, keeping every value that survives its passes, and compares
/// each node's outputs with the truth (ops.md 1.10): the widened op on the very
/// inputs that the candidate's node had, so that one bad node is not blamed on its successors. In mode isolate
/// the candidate runs each node alone instead, on the truth of its operands.
/// Values that the file states are held against the truth of the whole graph. Throws as the executors do.
cases::CaseResult verify(const cases::Case& subject, const cases::Executors& executors, const VerifyOptions& options,
                         cases::Observer& observer);

/// A case that was read, and not run yet.
struct LoadedCase {
  cases::CaseResult result = {};            ///< how it is named, and how it ended where it could not be read
  std::shared_ptr<SharedCase> shared = {};  ///< the case; null where it could not be read
};

/// load_case; what is thrown becomes the verdict of the case. Several candidates on one file, filled alike, may share
/// it: the first of them reads it.
LoadedCase load_file(const std::filesystem::path& path, const FillOptions& fill, const cases::Executors& executors,
                     const VerifyOptions& options, cases::Observer& observer,
                     std::shared_ptr<SharedCase> shared = nullptr);

/// verify, of what load_file gave for the same file and options.
cases::CaseResult verify_loaded(LoadedCase loaded, const std::filesystem::path& path, const FillOptions& fill,
                                const cases::Executors& executors, const VerifyOptions& options,
                                cases::Observer& observer);

/// load_case and verify, at larger extents as well where `fill` says so; what is thrown becomes the verdict of the
/// case. The first of those that share a case leaves it and its truths there, where those after it find them.
cases::CaseResult verify_file(const std::filesystem::path& path, const FillOptions& fill,
                              const cases::Executors& executors, const VerifyOptions& options,
                              cases::Observer& observer, std::shared_ptr<SharedCase> shared = nullptr);

/// The end of each case: its exit code, its verdict and those of its nodes.
std::vector<core::CaseEnd> ends_of(std::span<const cases::CaseResult> cases);

}  // namespace plumb::parity::verify
