#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "parity/core/segment.hpp"

namespace plumb::parity::power::faults {

/// A tensor of reals, integers or bools as numbers, row-major.
using Numbers = std::vector<double>;

/// Where an operand's memory comes from.
enum class Origin { upload, param, computed };

/// One operand of the segment.
struct Operand {
  ir::Tensor now;                    ///< fed to the candidate
  std::optional<ir::Tensor> before;  ///< left in its memory by a run on other inputs
  Origin origin = Origin::computed;
};

/// One output of one node that ran, where faults are planted; it stands alone, so that nothing else
/// of the graph runs again.
struct Site {
  const core::Segment& segment;
  std::size_t output = 0;
  std::vector<Operand> operands;  ///< by input of the segment's graph
  ir::TensorType type;            ///< the output's: reals, integers or bool
  Numbers truth, got;             ///< the truth of the operands, unrounded; the candidate's output
  std::optional<Numbers> before;  ///< the candidate's output on other inputs
  ir::Executor& reference;
  bool flushes_subnormals = false;
  std::vector<ir::Sum> sums = {};                 ///< how the kernel adds, as it says
  std::size_t tile_rows = 16, tile_columns = 16;  ///< output tile of a workgroup, by the kernel's record if it has one
  std::size_t slice = 16;                         ///< terms that it takes at once
  /// Truths that several faults are made of, by the slice of the summed axis that they lack.
  mutable std::map<std::pair<std::int64_t, std::int64_t>, Numbers> lacking = {};

  std::size_t elements() const { return got.size(); }

  /// The output as rows of neighbouring elements.
  std::size_t columns() const;
  std::size_t rows() const { return columns() == 0 ? 0 : elements() / columns(); }

  /// The op where the segment is one node; nothing where an executor fused several.
  const ir::Op* op() const;
  /// That op, where it is a T.
  template <ir::OpDefinition T>
  const T* as() const {
    return op() != nullptr && op()->is<T>() ? &op()->as<T>() : nullptr;
  }

  /// The operand of that name, of a single op.
  std::optional<std::size_t> operand(std::string_view name) const;

  std::vector<ir::Tensor> inputs() const;

  /// An estimate of the candidate's output on other inputs of the same types, or by another op: the
  /// truth of that plus the error that the candidate made. Nothing when the reference refuses it.
  std::optional<Numbers> on(const std::vector<ir::Tensor>& inputs) const;
  std::optional<Numbers> by(const ir::Op& op) const;

  /// The truth of other inputs. Throws Error when the reference refuses them.
  Numbers truth_of(const std::vector<ir::Tensor>& inputs) const;

  /// Another truth with the candidate's error of this one.
  Numbers carried(Numbers other) const;

  /// Takes tile and slice from a kernel's record, "128x128x32": rows, columns, terms.
  void set_tile(std::string_view record);
};

/// A number in [-1, 1] that looks drawn and is the same for the same x: what a coarse function is off at x.
double noise(double x);

/// The elements of a tensor that is not complex.
Numbers numbers_of(const ir::TensorView& tensor);

/// Rounds them to a dtype.
ir::Tensor tensor_of(const ir::TensorType& type, const Numbers& numbers);

}  // namespace plumb::parity::power::faults
