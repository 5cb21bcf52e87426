// Calls code of a registered op's author, who may write where nothing of his is.
#include <algorithm>

#include "ir/raw/float_environment.hpp"
#include "ir/registered_op.hpp"

namespace plumb::ir {

/// A tensor between guard zones.
class GuardedCall::Guarded {
 public:
  explicit Guarded(const TensorType& type) : type_(type), memory_(type.bytes() + 2 * zone) {}

  /// From here on all of it is the pattern.
  void clear() { std::ranges::fill(memory_.span(), pattern); }
  std::span<std::byte> bytes() { return memory_.span().subspan(zone, type_.bytes()); }
  const TensorType& type() const { return type_; }
  bool is_intact() const {
    const auto all = memory_.span();
    const auto is_pattern = [](std::byte one) { return one == pattern; };
    return std::ranges::all_of(all.first(zone), is_pattern) && std::ranges::all_of(all.last(zone), is_pattern);
  }

 private:
  static constexpr std::size_t zone = 4096;
  static constexpr std::byte pattern{0xff};  ///< NaN in floats: what nobody wrote shows
  TensorType type_;
  AlignedBytes memory_;
};

GuardedCall::GuardedCall(const RegisteredOp& op, std::string_view what, std::span<const TensorView> in,
                         std::span<const MutableView> out)
    : op_(op), where_(cat(op.of->name, ": ", what, " ")) {
  for (const TensorView& one : in) given_.emplace_back(one.type());
  for (const MutableView& one : out) made_.emplace_back(one.type());
  for (Guarded& one : given_) operands_.emplace_back(one.type(), one.bytes());
  for (Guarded& one : made_) results_.emplace_back(one.type(), one.bytes());
}

GuardedCall::~GuardedCall() = default;

void GuardedCall::run(const HostCode& code, std::span<const TensorView> in, std::span<const MutableView> out) {
  for (Guarded& one : given_) one.clear();
  for (Guarded& one : made_) one.clear();
  for (std::size_t i = 0; i < given_.size(); ++i) std::ranges::copy(in[i].bytes(), given_[i].bytes().begin());
  {
    const std::scoped_lock held(*op_.of->one_call);
    const raw::FloatEnvironment own;
    try {
      code(op_, operands_, results_);
    } catch (const Unsupported&) {
      throw;
    } catch (const Error& error) {
      fail(where_, error.what());
    }
  }
  for (std::size_t i = 0; i < given_.size(); ++i) {
    require(given_[i].is_intact(), where_, "writes outside of operand ", i);
    require(std::ranges::equal(operands_[i].bytes(), in[i].bytes()), where_, "changes operand ", i);
  }
  for (std::size_t k = 0; k < made_.size(); ++k) {
    require(made_[k].is_intact(), where_, "writes outside of result ", k, ", ", made_[k].type());
    std::ranges::copy(made_[k].bytes(), out[k].bytes().begin());
  }
}

void run_guarded(const RegisteredOp& op, std::string_view what, const HostCode& code, std::span<const TensorView> in,
                 std::span<const MutableView> out) {
  GuardedCall(op, what, in, out).run(code, in, out);
}

}  // namespace plumb::ir
