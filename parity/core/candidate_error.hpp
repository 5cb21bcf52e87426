#pragma once

#include "ir/error.hpp"

namespace plumb::parity::core {

/// A candidate gave something else than what it was asked for, nothing or a value of another type, say, or did what it
/// must not, as write to memory that is not its own: it fails, whatever its numbers are.
class CandidateError : public ir::Error {
 public:
  using Error::Error;
};

}  // namespace plumb::parity::core
