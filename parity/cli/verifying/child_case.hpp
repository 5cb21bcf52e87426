#pragma once

// A case that a process of its own runs, for --jobs of `plumb verify`.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "parity/cli/flags/verify_flags.hpp"

namespace plumb::parity::cli {

/// Which case it is, and in which ways its process is not like the one that started it. The rest is in the command
/// line, which both have.
struct ChildCase {
  std::size_t batch = 0;    ///< Batch::number
  std::string path = {};    ///< the graph's file
  std::string device = {};  ///< "": as the command line says
  int threads = 0;          ///< as --threads has it
  bool shares_device = false;
  bool is_first = false;                   ///< it says what is said once of all cases
  std::uint64_t passed_over = 0;           ///< its first runs, which were made before or cost another process its life
  unsigned attempt = 1;                    ///< at the first run that it makes
  std::vector<std::string> attempts = {};  ///< how those before it ended
  std::size_t width = 0;                   ///< as --width has it; 0: unlimited
  bool is_coloured = false;
};

void write_child(const std::filesystem::path& file, const ChildCase& child);

/// Throws Error where the file is none that write_child made.
ChildCase read_child(const std::filesystem::path& file);

/// The results file of such a process, and the runs that it need not make again.
std::filesystem::path results_of(const std::filesystem::path& child);
std::filesystem::path earlier_of(const std::filesystem::path& child);
/// Where it says why these are not to be gone on with, which ends all of it.
std::filesystem::path refusal_of(const std::filesystem::path& child);

/// Makes the flags of a command line those of the process of a case, which is returned: it writes one results file, and
/// what people read.
ChildCase become_child(flags::VerifyFlags& flags);

}  // namespace plumb::parity::cli
