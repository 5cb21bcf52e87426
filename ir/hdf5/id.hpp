#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Code common to the files that use HDF5, whose own header stays in .cpp files.
namespace plumb::ir::hdf5 {

/// Owns one HDF5 identifier, closed by the function that fits its kind.
class Id {
 public:
  using Close = int (*)(std::int64_t);

  /// Throws Error with HDF5's reason when there is no identifier.
  Id(std::int64_t id, Close close);
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator std::int64_t() const { return id_; }
  /// Gives the identifier up without closing it.
  std::int64_t release() { return std::exchange(id_, -1); }

 private:
  std::int64_t id_;
  Close close_;
};

/// Throws Error "HDF5 cannot <what>: <reason>" where the status says failure.
void expect(std::int64_t status, std::string_view what);

/// For a file that is written: its owner has locked it (files::OutputFile), and HDF5's own lock would meet that one.
void leave_locking_to_caller(std::int64_t access_list);

/// A list of properties by which a link makes the groups on the way to it.
Id intermediate_groups();

Id scalar_space();
/// The space of these extents, scalar where there are none; `most` says how far they may grow.
Id space_of(const std::vector<std::uint64_t>& extents, const std::vector<std::uint64_t>& most = {});
std::vector<std::uint64_t> extents_of(std::int64_t dataset);

/// The bytes of all elements of a dataset. Throws Error "claims ..." where they are more than what the file stores of
/// it can unpack to: a dataset of which nothing was written may claim any number.
std::uint64_t stored_bytes_of(std::int64_t dataset);

/// Replaces the attribute where there is one.
void write_attribute(std::int64_t object, const std::string& name, std::int64_t type, std::int64_t space,
                     const void* data);
/// A text of variable length in UTF-8, which h5py reads as str and not as bytes.
void write_text_attribute(std::int64_t object, const std::string& name, const std::string& text);

}  // namespace plumb::ir::hdf5
