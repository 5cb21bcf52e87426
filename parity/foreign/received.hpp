#pragma once

// Which dtypes a candidate may give a value in, and the value in the graph's.

#include <string>

#include "parity/foreign/candidate.hpp"

namespace plumb::parity::foreign {

/// Whether every number of dtype `narrow` is one of `wide`, a larger dtype of the same class: floats, integers,
/// complex.
bool is_wider(ir::DType wide, ir::DType narrow);

/// Whether a value of type `wanted` is stored in this one: the same shape, and a narrower float.
bool is_stored_in(const ir::TensorType& found, const ir::TensorType& wanted);

/// Whether a tensor of this type may stand for a value: u16 for the bits of a bf16 (ir::formats::taken_as), the graph's
/// shape, and its dtype or a wider one; where storage is observed, also a narrower float.
bool is_receivable(const ir::TensorType& found, const ir::TensorType& wanted, Storage storage = Storage::graph);

/// Throws core::CandidateError, with the name of the value, where it may not.
void require_receivable(const std::string& name, const ir::TensorType& found, const ir::TensorType& wanted,
                        Storage storage = Storage::graph);

/// The numbers in the graph's dtype, or in the narrower one that they are stored in. Throws core::CandidateError as
/// require_receivable, and where a number has no place there: its first element is named.
ir::Tensor received(const std::string& name, ir::Tensor found, const ir::TensorType& wanted,
                    Storage storage = Storage::graph);

/// Element `k` as text that tells it from its neighbours: "0.1", "(1,-2)", "true".
std::string element_text(const ir::TensorView& tensor, std::size_t k);

}  // namespace plumb::parity::foreign
