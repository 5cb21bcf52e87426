#pragma once

#include "parity/cases/node_result.hpp"
#include "parity/profile/profile.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::checks::patterns {

/// Sets what the emulator says of output `k`, whose elements may be off by `allowed`: how far `got` is from what is
/// replayed and, where that is too far for a sum that lost a last place somewhere, what those elements have in common.
void add_emulation(const profile::DeviceProfile& profile, const settle::Subject& subject, std::size_t k,
                   const compare::Allowed& allowed, const ir::Tensor& got, cases::NodeResult& result);

}  // namespace plumb::parity::checks::patterns
