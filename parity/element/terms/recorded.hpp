#pragma once

#include "parity/element/tape.hpp"
#include "parity/element/terms/terms.hpp"

/// Terms that follow from the element program of an op (verdict.md V12): it is recorded on numbers as operands, and
/// what it adds is read off the tape.
namespace plumb::parity::element::terms {

/// The terms of a recorded number that is a sum of operands and of products of two factors, perhaps multiplied and
/// divided by constants, with numbers added behind it. Factors are operands, their negatives and sizes, products
/// of two operands, and weights without an operand in them; the errors of products and weights that are not exact count
/// as `off`. False for any other number;
/// `sum` comes empty.
bool read_terms(const Tape& tape, const Real& number, ElementSum& sum);

/// Elements of an op's output 0 by its element program on operands that must outlive it. Floats of any dtype and
/// whole numbers are f64 here.
class Program {
 public:
  Program(ir::Op op, std::span<const Operand> operands, const ir::Shape& y);

  /// Records element `index` on a tape that comes empty. Throws NoAnswer where it has no definition.
  Real record(Tape& tape, std::int64_t index) const;
  const ir::Op& op() const { return op_; }

 private:
  ir::Op op_;
  std::vector<Operand> operands_;
  std::vector<ir::TensorType> types_;
  ir::TensorType y_;
};

/// The walker of an op on these operands by its element program; nothing where elements are no sums by themselves.
std::optional<Walker> recorded_walker(const ir::Op& op, std::span<const Operand> operands, const ir::Shape& y);

}  // namespace plumb::parity::element::terms
