#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/dtype.hpp"
#include "ir/hdf5/id.hpp"
#include "ir/hdf5/table_type.hpp"

namespace plumb::ir::hdf5 {

/// The type of a dtype, in files and in memory. f16 is IEEE binary16; bf16 is uint16, whose dataset says so
/// (mark_bf16); complex numbers are compounds {r, i}; a bool is h5py's enum {FALSE = 0, TRUE = 1} of an int8. All of
/// them are little-endian whatever the machine, so that equal tensors give equal files; h5py goes by the names of the
/// enum.
Id type_of(DType dtype);

/// The dtype of a dataset whose type is `type`, whatever its order of bytes. Throws Error "is ..." where there is none.
DType dtype_of(std::int64_t type, std::int64_t dataset);

/// Says of a dataset of uint16 that it holds bf16, as dtype_of asks.
void mark_bf16(std::int64_t dataset);

/// Texts of variable length, UTF-8.
Id text_type();

/// The type of a table's rows in memory; files have it packed.
Id row_type(const TableType& type);

/// The columns of a compound type; offsets are its own.
std::vector<Column> columns_of(std::int64_t compound);

}  // namespace plumb::ir::hdf5
