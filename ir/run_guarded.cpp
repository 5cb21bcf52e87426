// Calls code of a registered op's author, who may write where nothing of his is.
#include <algorithm>

#include "ir/raw/float_environment.hpp"
#include "ir/registered_op.hpp"

namespace plumb::ir {
namespace {

/// A tensor between guard zones.
class Guarded {
 public:
  explicit Guarded(const TensorType& type) : type_(type), memory_(type.bytes() + 2 * zone) {
    std::ranges::fill(memory_.span(), pattern);
  }

  MutableView view() { return {type_, memory_.span().subspan(zone, type_.bytes())}; }
  TensorView view() const { return {type_, memory_.span().subspan(zone, type_.bytes())}; }
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

}  // namespace

void run_guarded(const RegisteredOp& op, std::string_view what, const HostCode& code, std::span<const TensorView> in,
                 std::span<const MutableView> out) {
  std::vector<Guarded> given, made;
  std::vector<TensorView> operands;
  std::vector<MutableView> results;
  for (const TensorView& one : in)
    std::ranges::copy(one.bytes(), given.emplace_back(one.type()).view().bytes().begin());
  for (const MutableView& one : out) made.emplace_back(one.type());
  for (const Guarded& one : given) operands.push_back(one.view());
  for (Guarded& one : made) results.push_back(one.view());
  const std::string where = cat(op.of->name, ": ", what, " ");
  {
    const std::scoped_lock held(*op.of->one_call);
    const raw::FloatEnvironment own;
    try {
      code(op, operands, results);
    } catch (const Unsupported&) {
      throw;
    } catch (const Error& error) {
      fail(where, error.what());
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    require(given[i].is_intact(), where, "writes outside of operand ", i);
    require(std::ranges::equal(std::as_const(given[i]).view().bytes(), in[i].bytes()), where, "changes operand ", i);
  }
  for (std::size_t k = 0; k < made.size(); ++k) {
    require(made[k].is_intact(), where, "writes outside of result ", k, ", ", out[k].type());
    std::ranges::copy(std::as_const(made[k]).view().bytes(), out[k].bytes().begin());
  }
}

}  // namespace plumb::ir
