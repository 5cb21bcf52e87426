// Silences HDF5's own error messages while a file is in use, and names it should the library crash.
#include "ir/hdf5/hdf5_use.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <utility>

namespace plumb::ir::hdf5 {

namespace {

thread_local const std::string* name_in_use = nullptr;

}  // namespace

Hdf5Use::Hdf5Use(std::string path, Errors errors, Work work)
    : name_(errors == Errors::named ? path + ": " : ""), before_(name_in_use), file_(std::move(path), work) {
  name_in_use = &name_;
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Hdf5Use::~Hdf5Use() {
  H5Eset_auto2(H5E_DEFAULT, print_, data_);
  name_in_use = before_;
}

std::string name_of_errors() { return name_in_use == nullptr ? "" : *name_in_use; }

}  // namespace plumb::ir::hdf5
