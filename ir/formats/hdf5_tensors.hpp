#pragma once

#include "ir/formats/tensor_files.hpp"

namespace plumb::ir::formats {

/// The datasets of an HDF5 file, by their path ("group/name"). f16 is IEEE binary16; bf16
/// is uint16 with the attribute encoding = "bfloat16"; complex numbers are compounds
/// {r, i} and bools h5py's enum. Links to other files are not followed. HDF5 is used from
/// one thread at a time. What libhdf5 itself does with a damaged file is not in our hands:
/// release 1.10 can crash on one. From strangers, take .npz.
std::unique_ptr<TensorFile> open_hdf5_tensors(const std::filesystem::path& path);

/// Writes each tensor as a dataset, contiguous; "a/b" makes the group a, and "a" beside it is the dataset "a/.self".
/// Characters of a name that HDF5 would drop are escaped, and read back: the slash of "/a" (the dataset "%2Fa"), those
/// behind the first of "a//b" and at an end, a name "." between slashes (%2E), and the % of an escape (%25).
/// `about` is the file's description of itself; empty for none.
void save_hdf5_tensors(const std::filesystem::path& path, const NamedTensors& tensors, std::string_view about = "");

}  // namespace plumb::ir::formats
