// Names and versions of the libraries that compute, for the record of a run.
#include "ref_cpu/libraries.hpp"

#include <tbb/version.h>

#include <Eigen/Core>

#include "ir/error.hpp"
#include "ref_cpu/kernel_table.hpp"

namespace plumb::ref_cpu {

std::vector<std::pair<std::string, std::string>> library_versions() {
  return {{"eigen", ir::cat(EIGEN_WORLD_VERSION, '.', EIGEN_MAJOR_VERSION, '.', EIGEN_MINOR_VERSION)},
          {"fftw", chosen_kernels().fftw_version()},
          {"tbb", ir::cat(TBB_VERSION_MAJOR, '.', TBB_VERSION_MINOR)}};
}

bool has_fftw() { return !chosen_kernels().fftw_version().starts_with("none"); }

}  // namespace plumb::ref_cpu
