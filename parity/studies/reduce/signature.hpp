#pragma once

// How a case fails, in words that stay the same while it gets smaller.

#include <string>
#include <vector>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::studies::reduce {

/// How a case failed; of one that did not, `kind` is empty.
struct Signature {
  /// mismatch, proved (above the certain limit, or not exact where it has to be), rounds_off, replay, nan, inf,
  /// nondeterministic, plain, expected, oracle, relation:NAME, crash:SIGNAL, hang, error:MESSAGE without numbers,
  /// check.
  std::string kind = {};
  std::string label = {}, op = {};  ///< the first guilty node; "" where none is known
  std::vector<std::string> kept = {};

  bool operator==(const Signature&) const = default;
};

/// Names of properties of the guilty output that may have to stay, too.
std::vector<std::string> keepable();

/// The signature of a case that ran. `keep`: some of keepable().
Signature signature_of(const cases::CaseResult& result, const std::vector<std::string>& keep);

/// The signature of one whose process ended by a message instead.
Signature signature_of_error(std::string message, const std::string& path);

/// "mismatch at 'scores' (matmul)".
std::string to_text(const Signature& signature);

}  // namespace plumb::parity::studies::reduce
