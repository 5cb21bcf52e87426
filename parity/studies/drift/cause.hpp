#pragma once

// Why an output has other bits than it had.

#include "parity/studies/drift/pairs.hpp"

namespace plumb::parity::studies::drift {

/// The facts of a change of that output: how many seeds differ, the cause, and verdicts that became worse.
Change change_of(const Series& series, bool is_paired);

/// Whether an output with the bits that it had is held to another limit.
bool has_other_limit(const Series& series);

/// An output of a case that base does not have.
Change new_output(const Record& was, const Record& is, const Output& output);

/// Whether a run failed as a whole that did not before, and that as a change.
bool has_worse_end(const Record& was, const Record& is);
Change worse_end(const Record& was, const Record& is);

}  // namespace plumb::parity::studies::drift
