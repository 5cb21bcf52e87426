#pragma once

// Who is judged, where that is none of our own executors.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/executor.hpp"
#include "parity/cases/pairing.hpp"
#include "parity/core/trial.hpp"

namespace plumb::parity::cases {
struct Case;
}

/// Candidates that are not our own executors (library.md A): what a file holds, what a process or a plugin answers.
namespace plumb::parity::foreign {

/// Which values a candidate is asked for.
enum class Taps { results, surviving, all };

constexpr auto enum_names(Taps) { return std::array<std::string_view, 3>{"results", "surviving", "all"}; }

/// How values may be stored that arrive.
enum class Storage {
  graph,     ///< in the graph's dtype, or in a wider one
  observed,  ///< floats also in one whose numbers all are of the graph's dtype: they are judged as stored in that
};

constexpr auto enum_names(Storage) { return std::array<std::string_view, 2>{"graph", "observed"}; }

using cases::Pairing;

/// A candidate's description of itself. Nobody vouches for any of it.
struct Description {
  std::string kind;                           ///< "file", "exec", "py", ...
  std::string spec;                           ///< as the user named it, after the kind
  std::string name, version, device;          ///< "" where it does not say
  bool keeps_subnormals = false;              ///< it says that it never gives 0 for a subnormal number
  std::vector<std::string> environment = {};  ///< "NAME=value" of the variables that it says it depends on
};

/// "onnxruntime 1.30, cpu; OMP_NUM_THREADS=4"; "" of one that says nothing of itself.
std::string to_text(const Description& description);

/// How a run of a candidate went wrong, where that is no matter of numbers.
enum class Fault {
  none,         ///< it did not, or in another way than these
  wrong_shape,  ///< a value is of another shape than the graph's
  wrong_dtype,  ///< it has its shape, but a dtype that is not allowed
  crashed,      ///< it ended, gave no answer or a malformed one, or says that it cannot go on
  late,         ///< it gave no answer in time
};

/// An executor of somebody else's. It throws core::CandidateError for what it did and must not do, DeviceError where it
/// crashed, hung or answered with garbage, and Unsupported with its own words where it refuses; also to compile
/// for copies of what is run for results alone (Capture::as_plain), unless it can do that.
class Candidate : public ir::Executor {
 public:
  virtual Description description() const = 0;

  /// Takes note of the case that it will run: the model's file and the names of values there. To be called before
  /// compile, for each case.
  virtual void begins(const cases::Case& subject) = 0;

  /// Whether it computes, so that it can be run again and on other inputs; a file of tensors does not.
  virtual bool computes() const { return true; }

  /// How the values of the last run were found.
  virtual const std::map<ir::Value, Pairing>& pairing() const = 0;

  /// How it may store values. Narrower floats than the graph's are handed over as they are.
  virtual Storage storage() const { return Storage::graph; }

  /// How the last run went wrong, if it did.
  virtual Fault fault() const { return Fault::none; }

  /// Further remarks on the last run for whoever reads the verdict: tensors that no value was found for, say.
  virtual std::vector<std::string> notes() const { return {}; }

  /// Runs trials, each by itself, in as few exchanges as it can.
  virtual std::vector<core::TrialEnd> run_trials(std::vector<core::Trial> trials) {
    return core::one_by_one(*this)(std::move(trials));
  }

  bool has_kernel(const ir::OpSchema& /*schema*/) const override { return true; }
};

}  // namespace plumb::parity::foreign
