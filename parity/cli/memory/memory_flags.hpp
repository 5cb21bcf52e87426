#pragma once

// --memory and --scratch: how much memory a command may take, and where values wait that have no room in it.

#include <memory>
#include <string>

namespace CLI {
class App;
}
namespace plumb::parity::verify {
class MemoryBudget;
struct FillOptions;
}  // namespace plumb::parity::verify

namespace plumb::parity::cli::flags {

struct MemoryFlags {
  std::string most, scratch;  ///< as they are given; "": not
};

/// Both flags. --memory says other things of candidates, too: whatever is no size goes into `place`.
void add_memory_flags(CLI::App& app, MemoryFlags& flags, std::string& place);

/// The budget that the flags ask for, for the whole process, which from then on gives back what it frees; null where
/// they ask for none. Throws Error where --scratch is no folder, or is named without --memory.
std::shared_ptr<verify::MemoryBudget> open_budget(const MemoryFlags& flags);

/// "memory: peak 1.21 GiB of 3 GiB, 40 MiB in scratch", when all is done.
std::string said_of(const verify::MemoryBudget& budget);

/// Has cases be loaded within the bytes that the flags name.
void set_budget(const MemoryFlags& flags, verify::FillOptions& fill);

}  // namespace plumb::parity::cli::flags
