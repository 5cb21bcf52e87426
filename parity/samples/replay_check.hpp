#pragma once

#include "parity/cases/replay_sample.hpp"
#include "parity/elements/subject.hpp"
#include "parity/samples/sample.hpp"

namespace plumb::parity::samples {

/// Adds 8 to 64 elements of output `k` again as its kernel says that it adds, whatever their errors, and compares every
/// bit (verdict.md V22). Those can be asked that are a bare sum with nothing but storage behind it, whose truth and
/// result are finite and whose terms no device may take for 0.
cases::ReplaySample replay_sample(const elements::Subject& subject, std::size_t k, const ir::Tensor& truth,
                                  const ir::TensorView& got, Draws draws);

}  // namespace plumb::parity::samples
