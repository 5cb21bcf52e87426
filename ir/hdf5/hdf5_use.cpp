// Silences HDF5's own error messages while a file is in use, and names it should the library crash.
#include "ir/hdf5/hdf5_use.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <utility>

namespace plumb::ir::hdf5 {

Hdf5Use::Hdf5Use(std::string path) : file_(std::move(path)) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Hdf5Use::~Hdf5Use() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

}  // namespace plumb::ir::hdf5
