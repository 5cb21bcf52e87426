#include "ref_cpu/libraries.hpp"

#include <Eigen/Core>

#include <tbb/version.h>

#include "ir/error.hpp"

namespace plumb::ref_cpu {

std::vector<std::pair<std::string, std::string>> library_versions() {
  return {{"eigen", ir::cat(EIGEN_WORLD_VERSION, '.', EIGEN_MAJOR_VERSION, '.', EIGEN_MINOR_VERSION)},
          {"tbb", ir::cat(TBB_VERSION_MAJOR, '.', TBB_VERSION_MINOR)}};
}

}  // namespace plumb::ref_cpu
