#pragma once

#include <cstdint>
#include <optional>

namespace plumb::ir::raw {

/// Bytes of this process that are in memory now, and the most that were at once; 0 where the kernel does not say.
std::uint64_t resident_bytes();
std::uint64_t peak_resident_bytes();

/// Bytes of memory that a process may have at most: those of the machine, or of its control group where that has fewer.
/// Nothing where the system does not say.
std::optional<std::uint64_t> machine_memory();

}  // namespace plumb::ir::raw
