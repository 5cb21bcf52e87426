#pragma once

// A candidate that is a file of tensors: another runtime's values, judged node by node (library.md A).

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parity/foreign/candidate.hpp"
#include "parity/foreign/name_map.hpp"
#include "parity/foreign/pairing.hpp"
#include "parity/foreign/received.hpp"

namespace plumb::parity::foreign {

/// The norms of a case's true values: norm_of each.
using TruthNorms = std::function<ValueNorms(const cases::Case&)>;

struct DumpOptions {
  std::string path;    ///< .npz, .h5, and whatever else ir::formats::open_tensors opens
  std::string prefix;  ///< only tensors whose names begin with it, and a '/' where any has one there
  std::optional<NameMap> map = {};
  Storage storage = Storage::graph;
  TruthNorms truth_norms = {};  ///< where tensors may be paired by statistics: called if any has no value by name
};

/// Tensors of a file as values of a graph. It gives the same numbers for whatever it is fed, so that begins checks what
/// the case is fed. One case at a time; executables outlive the case.
class DumpCandidate final : public Candidate {
 public:
  explicit DumpCandidate(DumpOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "file"; }
  Description description() const override;

  /// Opens the file and pairs its tensors. Throws Error where it cannot be read, where none of them is a value that a
  /// node computes, and where an input that it holds is not, bit by bit, what the case is fed.
  void begins(const cases::Case& subject) override;
  bool computes() const override { return false; }
  Storage storage() const override { return options_.storage; }
  const std::map<ir::Value, Pairing>& pairing() const override { return pairing_; }
  std::vector<std::string> notes() const override { return notes_; }

  /// Takes the case's graph alone. Throws Unsupported for others, single nodes in mode isolate, say. What it returns
  /// throws core::CandidateError when it runs and a wanted value is missing, or one has a type that may not stand for
  /// it; it reads only what `capture` asks for.
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

 private:
  struct Opened;

  DumpOptions options_;
  std::shared_ptr<const Opened> opened_;  ///< for the case that began last
  std::map<ir::Value, Pairing> pairing_;
  std::vector<std::string> notes_;
};

/// The inputs of a graph from a dump that contains all of them, by their names in the graph; empty where it lacks one
/// or the graph has none. Throws Error where the file cannot be read or a tensor does not fit its input.
ir::Feeds dump_inputs(const DumpOptions& options, const ir::formats::GraphFile& file);

}  // namespace plumb::parity::foreign
