#pragma once

// The place of a worker among those that were started together on one host.

#include <cstddef>
#include <optional>
#include <string>

namespace plumb::parity::campaign {

struct Rank {
  std::size_t number = 0;     ///< from 0 on
  std::string variable = {};  ///< that said so
};

/// The rank that a starter of parallel programs gives to this process in the environment: Open MPI, Intel MPI, Hydra
/// (MPICH) or Slurm, in this order, since jobs of Slurm start others. Nothing where none did. Throws Error, naming the
/// variable, where it is no number.
std::optional<Rank> local_rank();

}  // namespace plumb::parity::campaign
