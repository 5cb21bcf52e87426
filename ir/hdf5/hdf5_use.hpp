#pragma once

#include <cstdint>
#include <string>

#include "ir/files/interruption.hpp"
#include "ir/formats/file_in_use.hpp"

namespace plumb::ir::hdf5 {

/// Whether errors of HDF5 say which file they are of, or whoever catches them does.
enum class Errors { named, plain };

using Work = formats::FileInUse::Work;

/// While it lives, HDF5 is at work on a file: it prints nothing to stderr, where errors become Error, and an
/// interruption, which may write to another file, waits.
class Hdf5Use {
 public:
  explicit Hdf5Use(std::string path, Errors errors = Errors::plain, Work work = Work::reading);
  ~Hdf5Use();
  Hdf5Use(const Hdf5Use&) = delete;
  Hdf5Use& operator=(const Hdf5Use&) = delete;

 private:
  const files::Uninterrupted whole_;
  const std::string name_;  ///< before every error; empty: nothing is
  const std::string* const before_;
  const formats::FileInUse file_;
  int (*print_)(std::int64_t, void*) = nullptr;
  void* data_ = nullptr;
};

/// "FILE: " of the innermost use whose errors are named, or nothing.
std::string name_of_errors();

}  // namespace plumb::ir::hdf5
