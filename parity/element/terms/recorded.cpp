// Reads the terms of sums off the tape of an element program.
// Optimised: it loops over elements or terms.
#include "parity/element/terms/recorded.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "parity/element/oracle.hpp"

namespace plumb::parity::element::terms {
namespace {

using Kind = Step::Kind;

/// One element's steps, as a sum.
class Reader {
 public:
  Reader(const Tape& tape, ElementSum& sum) : tape_(tape), sum_(sum) {}

  /// A number that is read as a sum, its scale and divisor, and what is behind it.
  bool read(std::uint32_t at) {
    const Step& step = tape_[at];
    if (step.kind == Kind::total) return read_total(step);
    if (step.kind == Kind::divide && is_exact(step.b) && holds_sum(step.a)) {
      sum_.divisor *= tape_[step.b].value;
      return read(step.a);
    }
    if (step.kind == Kind::multiply && is_exact(step.a) && holds_sum(step.b)) return read_scaled(step.b, step.a);
    if (step.kind == Kind::multiply && is_exact(step.b) && holds_sum(step.a)) return read_scaled(step.a, step.b);
    if (step.kind != Kind::add) return read_term(at);
    if (holds_sum(step.a)) return !holds_sum(step.b) && read(step.a) && read_behind(step.b);
    return read(step.a) && read(step.b);
  }

 private:
  bool is_exact(std::uint32_t at) const { return tape_[at].kind == Kind::constant && tape_[at].error == 0; }
  bool is_by_one(const Step& step) const {
    return step.kind == Kind::multiply && is_exact(step.a) && tape_[step.a].value == 1;
  }

  /// Whether a sum of terms is in it, scaled or not.
  bool holds_sum(std::uint32_t at) const {
    const Step& step = tape_[at];
    switch (step.kind) {
      case Kind::total:
        return true;
      case Kind::multiply:
      case Kind::add:
        return holds_sum(step.a) || holds_sum(step.b);
      case Kind::divide:
        return holds_sum(step.a);
      default:
        return false;
    }
  }

  bool read_scaled(std::uint32_t at, std::uint32_t factor) {
    sum_.scale *= tape_[factor].value;
    return read(at);
  }

  bool read_total(const Step& total) {
    std::vector<std::uint32_t> steps;
    for (std::uint32_t at = total.a; at != 0; at = tape_[at].a) steps.push_back(at);
    sum_.terms.reserve(steps.size());
    std::ranges::reverse(steps);
    for (const std::uint32_t at : steps) {
      const Step& step = tape_[at];
      if (step.kind == Kind::behind ? !read_behind(step.b) : !read_term(step.b)) return false;
      if (step.kind == Kind::term) sum_.places.push_back(step.place);
    }
    sum_.all_places = total.place;
    if (sum_.places.size() == sum_.all_places) {
      sum_.places.clear();
      sum_.all_places = 0;
    }
    return true;
  }

  bool read_behind(std::uint32_t at) {
    const Step& step = tape_[at];
    Factor a, b;
    if (step.kind == Kind::multiply) {
      if (!(a.read(*this, step.a) && b.read(*this, step.b))) return false;
    } else {
      a.value = 1;
      if (!b.read(*this, at)) return false;
    }
    sum_.added.push_back({a.value, b.value});
    return true;
  }

  bool read_term(std::uint32_t at) {
    const Step& step = tape_[at];
    if (is_by_one(step)) return read_term(step.b);
    if (step.kind == Kind::negate && tape_[step.a].kind == Kind::multiply) {
      if (!read_term(step.a)) return false;
      sum_.terms.back().a = -sum_.terms.back().a;
      return true;
    }
    Factor a, b;
    if (step.kind == Kind::multiply) {
      if (!(a.read(*this, step.a) && b.read(*this, step.b))) return false;
    } else if (!a.read(*this, at)) {
      return false;
    } else {
      b.value = 1;
    }
    sum_.add(a.value, b.value);
    add_error(std::abs(a.value) * b.off + std::abs(b.value) * a.off, a.is_rounded || b.is_rounded);
    return true;
  }

  /// Terms have errors as soon as one has.
  void add_error(double off, bool is_rounded) {
    sum_.is_rounded |= is_rounded;
    if (off == 0 && sum_.off.empty()) return;
    sum_.off.resize(sum_.terms.size(), 0);
    sum_.off.back() = off;
  }

  struct Factor {
    double value = 0, off = 0;  ///< off: in unit roundoffs
    bool is_rounded = false;

    /// Two operands: kernels round their product, or that of one of them with the sum of the terms that share it.
    bool read_product(const Step& a, const Step& b) {
      if (a.kind != Kind::operand || b.kind != Kind::operand) return false;
      if (static_cast<double>(static_cast<float>(value)) == value) return true;
      is_rounded = true;
      off = std::abs(value);
      return true;
    }

    bool read(const Reader& reader, std::uint32_t at) {
      const Step& step = reader.tape_[at];
      value = step.value;
      switch (step.kind) {
        case Kind::operand:
          return true;
        case Kind::negate:
        case Kind::magnitude:
          if (!read(reader, step.a)) return false;
          value = step.value;
          return true;
        case Kind::constant:
          is_rounded = step.error > 0;
          off = step.error / static_cast<double>(roundoff);
          return true;
        case Kind::weight:
          is_rounded = true;
          off = step.error;
          return true;
        case Kind::multiply:
          if (reader.is_by_one(step)) return read(reader, step.b);
          return read_product(reader.tape_[step.a], reader.tape_[step.b]);
        default:
          return false;
      }
    }
  };

  const Tape& tape_;
  ElementSum& sum_;
};

/// The tape of this thread, which keeps its memory.
Tape& empty_tape() {
  static thread_local Tape tape;
  tape.clear();
  return tape;
}

}  // namespace

bool read_terms(const Tape& tape, const Real& number, ElementSum& sum) {
  if (number.step != 0) return Reader(tape, sum).read(number.step);
  if (number.value != 0) sum.add(static_cast<double>(number.value));
  return true;
}

Program::Program(ir::Op op, std::span<const Operand> operands, const ir::Shape& y)
    : op_(std::move(op)), operands_(operands.begin(), operands.end()), y_{ir::DType::f64, y} {
  for (const Operand& x : operands_) types_.push_back({ir::DType::f64, x.shape});
}

Real Program::record(Tape& tape, std::int64_t index) const {
  std::vector<element::Operand> numbers;
  for (std::size_t i = 0; i < operands_.size(); ++i)
    numbers.push_back({&types_[i], [&tape, i, values = operands_[i].values](std::int64_t at) -> Number {
                         return tape.operand(i, at, values[static_cast<std::size_t>(at)]);
                       }});
  const Recording recording(tape);
  return element_of(op_, Call(numbers, y_, 0, element::position_of(index, y_.shape))).re;
}

std::optional<Walker> recorded_walker(const ir::Op& op, std::span<const Operand> operands, const ir::Shape& y) {
  if (op.error_class() != ir::ErrorClass::dot || y.elements() == 0) return std::nullopt;
  const auto program = std::make_shared<const Program>(op, operands, y);
  const auto walk = [program](std::int64_t index, ElementSum& sum) {
    Tape& tape = empty_tape();
    try {
      return read_terms(tape, program->record(tape, index), sum);
    } catch (const NoAnswer&) {
      sum.add(std::nan(""));  // no limit is known of what is not defined
      return true;
    }
  };
  if (ElementSum first; !walk(0, first)) return std::nullopt;
  return [walk, program](std::int64_t index, ElementSum& sum) {
    ir::require(walk(index, sum), program->op().name(), ": element ", index, " is no sum, as element 0 is");
  };
}

}  // namespace plumb::parity::element::terms
