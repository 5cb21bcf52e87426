#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ir/hdf5/hdf5_use.hpp"
#include "ir/tensor.hpp"
#include "parity/results/results_tables.hpp"

// What the files record_hdf5*.cpp share; HDF5's own header stays in them.
namespace plumb::parity::results {

using ir::hdf5::Hdf5Use;

/// Owns one HDF5 identifier, closed by the function that fits its kind.
class Hdf5Id {
 public:
  using Close = int (*)(std::int64_t);

  /// Throws Error with HDF5's reason when there is no identifier.
  Hdf5Id(std::int64_t id, Close close);
  ~Hdf5Id() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
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
void hdf5_expect(std::int64_t status, std::string_view what);

/// An open file.
struct Hdf5File {
  Hdf5Id id;
  std::string name;

  /// The dataset or group at a path.
  Hdf5Id object(const std::string& path) const;
};

/// Types of files (packed) and of memory (as the row structs are).
Hdf5Id hdf5_row_type(const results::TableType& type);
Hdf5Id hdf5_dtype(ir::DType dtype);
Hdf5Id hdf5_text_type();

/// The columns of a compound type; offsets are its own.
std::vector<results::Column> hdf5_columns(std::int64_t compound);

}  // namespace plumb::parity::results
