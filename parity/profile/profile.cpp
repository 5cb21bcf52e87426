#include "parity/profile/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/attribute.hpp"
#include "ir/formats/sums_json.hpp"
#include "parity/core/sha256.hpp"
#include "parity/profile/toml_number.hpp"

namespace plumb::parity::profile {
namespace {

/// As a basic string of TOML.
std::string in_quotes(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      escaped += fmt::format("\\{}", c);
    else if (code < 0x20 || code == 0x7F)
      escaped += fmt::format("\\u{:04X}", code);
    else
      escaped += c;
  }
  return escaped + '"';
}

template <class E>
std::string word(E value) {
  return in_quotes(ir::enum_name(value));
}

std::string word(ir::DType dtype) { return in_quotes(ir::info(dtype).name); }

std::string text_of(const Products& p) {
  std::string text = fmt::format("\n[[product]]\nunit = {}\noperands = {}\naccumulator = {}\n", word(p.unit),
                                 word(p.operands), word(p.accumulator));
  const auto say = [&](const char* key, int value) { text += fmt::format("{} = {}\n", key, value); };
  say("operand_bits", p.operand_bits);
  text += fmt::format("exact_products = {}\n", word(p.exact_products));
  say("accumulator_bits", p.accumulator_bits);
  if (p.extra_bits) say("extra_bits", *p.extra_bits);
  text += fmt::format("normalized = {}\nrounding = {}\n", word(p.normalized), word(p.rounding));
  say("block", p.block);
  say("group", p.group);
  return text + fmt::format("subnormals = {}\n", word(p.subnormals));
}

std::string text_of(const MeasuredSum& measured) {
  std::string operands;
  for (const ir::TensorType& type : measured.operands)
    operands += (operands.empty() ? "" : ", ") + in_quotes(ir::cat(type));
  std::string text = fmt::format("\n[[sum]]\nop = {}\noperands = [{}]\n", in_quotes(measured.op), operands);
  if (!measured.kernel.empty()) text += fmt::format("kernel = {}\n", in_quotes(measured.kernel));
  return text + fmt::format("sums = {}\n", in_quotes(ir::formats::to_json({&measured.sum, 1})));
}

/// All but the hash.
std::string content(const DeviceProfile& profile) {
  std::string text = fmt::format("[device]\nname = {}\ndriver = {}\nuuid = {}\n", in_quotes(profile.name),
                                 in_quotes(profile.driver), in_quotes(profile.uuid));
  for (const Products& p : profile.products) text += text_of(p);
  for (const SubnormalHandling& s : profile.subnormals)
    text += fmt::format("\n[[subnormals]]\ndtype = {}\nin = {}\nout = {}\n", word(s.dtype), word(s.in), word(s.out));
  for (const FmaHandling& f : profile.fma)
    text += fmt::format("\n[[fma]]\ndtype = {}\nkind = {}\n", word(f.dtype), word(f.kind));
  for (const FunctionError& f : profile.functions)
    text += fmt::format("\n[[function]]\nname = {}\ndtype = {}\nmax_ulp = {}\nat = {}\nsamples = {}\nexhaustive = {}\n",
                        in_quotes(f.function), word(f.dtype), toml_number(f.max_ulp), toml_number(f.at), f.samples,
                        f.exhaustive);
  for (const MeasuredSum& s : profile.sums) text += text_of(s);
  return text;
}

}  // namespace

double Products::unit_roundoff() const {
  const int bits = accumulator_bits > 0 ? accumulator_bits : 24;
  return std::ldexp(1.0, rounding == Rounding::nearest ? -bits : 1 - bits);
}

bool Products::is_known() const {
  return operand_bits > 0 && exact_products != Known::unknown && accumulator_bits > 0 && extra_bits &&
         normalized != Known::unknown && rounding != Rounding::unknown && block > 0 &&
         subnormals != Subnormals::unknown;
}

Products DeviceProfile::products_of(const ir::Sum& sum, ir::DType operands) const {
  for (const Products& p : products)
    if (p.unit == sum.unit && p.operands == operands && p.accumulator == sum.accumulator) return p;
  return {.unit = sum.unit, .operands = operands, .accumulator = sum.accumulator};
}

SubnormalHandling DeviceProfile::subnormals_of(ir::DType dtype) const {
  const auto found = std::ranges::find(subnormals, dtype, &SubnormalHandling::dtype);
  return found != subnormals.end() ? *found : SubnormalHandling{.dtype = dtype};
}

FmaKind DeviceProfile::fma_of(ir::DType dtype) const {
  const auto found = std::ranges::find(fma, dtype, &FmaHandling::dtype);
  return found != fma.end() ? found->kind : FmaKind::unknown;
}

std::optional<double> DeviceProfile::max_ulp_of(std::string_view function, ir::DType dtype) const {
  for (const FunctionError& f : functions)
    if (f.function == function && f.dtype == dtype) return f.max_ulp;
  return std::nullopt;
}

const MeasuredSum* DeviceProfile::sum_of(std::string_view kernel, std::string_view op, ir::Types operands) const {
  const auto is_kernel = [&](const MeasuredSum& one) { return one.kernel == kernel && one.op == op; };
  const auto is_place = [&](const MeasuredSum& one) {
    return one.op == op && std::ranges::equal(one.operands, operands);
  };
  auto found = kernel.empty() ? sums.end() : std::ranges::find_if(sums, is_kernel);
  if (found == sums.end()) found = std::ranges::find_if(sums, is_place);
  return found == sums.end() ? nullptr : &*found;
}

std::string DeviceProfile::sha256() const { return core::sha256(content(*this)); }

DeviceProfile safe_profile() { return {}; }

std::string to_toml(const DeviceProfile& profile) {
  return fmt::format("schema = \"plumb-profile/3\"\nsha256 = \"{}\"\n\n{}", profile.sha256(), content(profile));
}

}  // namespace plumb::parity::profile
