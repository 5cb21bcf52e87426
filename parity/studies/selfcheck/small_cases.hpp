#pragma once

// A small graph for every op, on executors that have to give what it means.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parity/cases/executors.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::studies::selfcheck {

/// A graph file (plumb.graph/1) that reads no other.
struct SmallCase {
  std::string_view name, text;
};

/// How cases are held to the truth.
struct Effort {
  std::vector<std::optional<ir::DType>> dtypes = {std::nullopt};  ///< as they are, then in these in place of f32
  unsigned repeat = 1;
  bool plain = false;                                           ///< also what is compiled for the results alone
  std::chrono::duration<double> time = std::chrono::hours(24);  ///< none is begun after it
};

/// The outcome of cases.
struct Held {
  std::size_t passed = 0, all = 0;
  std::size_t unverified = 0;           ///< the executor cannot run them, or they prove too little in that dtype
  std::size_t left = 0;                 ///< there was no time for
  std::uint64_t elements = 0;           ///< elements of truths that were held to the definitions of the ops
  std::vector<std::string> wrong = {};  ///< "softmax in f16: failed: why", of each that is neither
};

/// Verifies each case, or as many as there is time for: in an order by their names' hashes, so that those before the
/// end of the time are of all kinds.
Held hold(std::span<const SmallCase> cases, const cases::Executors& executors, const Effort& effort);

/// The cases of which these executors, the first and any other, do not give the same bits.
std::vector<std::string> differing(std::span<const SmallCase> cases, std::span<ir::Executor* const> executors);

/// How a case is read and filled; and the case, filled.
verify::FillOptions fill_of(const SmallCase& one);
cases::Case filled(const SmallCase& one);

}  // namespace plumb::parity::studies::selfcheck
