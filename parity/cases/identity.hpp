#pragma once

// Which run a run is: what it was fed, how it was run, and the name that both give it.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parity/cases/case.hpp"
#include "parity/core/mode.hpp"

namespace plumb::parity::cases {

struct CaseResult;

/// How a case is run, besides its mode: all that its numbers may depend on and that is not its own.
struct RunSettings {
  std::string candidate = "vulkan";
  std::int64_t alternative = 0;  ///< which of the kernels that plans pass over the candidate runs; 0: the best
  bool fuse = true;
  std::vector<std::pair<std::string, std::string>> knobs = {};  ///< other knobs off their defaults, by name
  std::string profile = {};                                     ///< sha256 of the device profile; "" without one
  std::shared_ptr<const std::string> profile_text = {};         ///< and the profile as it was given
  std::string calibration = {};                                 ///< sha256 of what was measured of the device
  std::vector<std::string> planted = {};                        ///< faults that are there on purpose, "nan@scores"
  bool validate = false;                                        ///< judging stops where a node is no longer finite

  /// "regions:false,tile:32x32x16"; "" where every knob is at its default.
  std::string knobs_text() const;
};

/// The name of a run. Two runs with equal texts were fed the same and run in the same way; which device that was on,
/// and which version of the program, is said elsewhere.
struct Identity {
  std::string path = {};     ///< the graph's file, from the working folder where it is below it, without "." and ".."
  std::string variant = {};  ///< " dtype=f16 seed=7": settings that are not as without any flag
  std::string subject = {};  ///< graph, dtype, fill, seeds and feeds, a line "name=value" each
  std::string options = {};  ///< how it was run, likewise

  std::string id() const { return path + variant; }  ///< for people, and unique among the runs of one graph file
  std::string key() const;                           ///< sha256 of both texts
};

/// The one place that names runs. Of a case that could not be loaded the subject has the file in place of the graph.
Identity identity_of(const Case& subject, core::Mode mode, const RunSettings& settings);

/// The name that a result has, or gets here where whoever made it gave it none.
Identity identity_of(const CaseResult& result);

/// A number that tells apart runs that have the same name.
using Uuid = std::array<std::uint8_t, 16>;

/// A random one (RFC 9562, version 4).
Uuid new_uuid();

/// "xxxxxxxx-xxxx-4xxx-xxxx-xxxxxxxxxxxx"; "" where all bytes are 0.
std::string to_text(const Uuid& uuid);

/// Which graph's dtypes a case has: "graph", the dtype of --dtype, or the precision or the plan of --precision.
std::string precision_name(const Case& subject);

/// sha256 over a line for each of these tensors, its name, type and the hash of its bytes, and over these lines as they
/// are. "" where there is neither.
std::string hash_of(const ir::Feeds& tensors, const std::vector<std::string>& lines);

}  // namespace plumb::parity::cases
