#include "parity/bounds/function_limits.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace plumb::parity::bounds::function_limits_test {
namespace {

using ir::ErrorClass;
using ir::ops::Activation;
using ir::ops::Binary;
using ir::ops::Unary;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All functions of an op, with their limits.
template <class Op>
void for_each_function(const std::function<void(Op, const FunctionLimit<decltype(Op::function)>*)>& visit) {
  using Function = decltype(Op::function);
  for (std::size_t k = 0; k < ir::ops::enum_names(Function{}).size(); ++k) {
    const auto function = static_cast<Function>(k);
    visit(Op{function}, limit_of(function));
  }
}

template <class Op>
void expect_limits_where_the_class_says_nothing() {
  for_each_function<Op>([](Op op, const auto* limit) {
    const bool says_all = op.error_class() == ErrorClass::bits || op.error_class() == ErrorClass::exact ||
                          op.error_class() == ErrorClass::rounded;
    EXPECT_EQ(limit == nullptr, says_all) << Op::name << ' ' << ir::enum_name(op.function);
  });
}

TEST(FunctionLimits, AreThereWhereTheErrorClassSaysNothing) {
  expect_limits_where_the_class_says_nothing<Unary>();
  expect_limits_where_the_class_says_nothing<Binary>();
  expect_limits_where_the_class_says_nothing<Activation>();
}

/// The text that the last column of ops.md 3 must hold for a limit.
template <class Function>
std::string in_the_contract(const FunctionLimit<Function>& limit) {
  if (limit.slope > 0) return ir::cat("·(", limit.relative, " + ", limit.slope);
  return limit.ulps > 0 ? ir::cat("ulp(", limit.ulps, ")") : "u·(";
}

template <class Op>
void expect_the_contract(const std::string& contract) {
  const std::size_t start = contract.find(ir::cat("\n### ", Op::name, " · "));
  const std::string entry = contract.substr(start, contract.find("\n### ", start + 1) - start);
  for_each_function<Op>([&](Op op, const auto* limit) {
    const std::string name(ir::enum_name(op.function));
    std::smatch row;
    const std::regex line(ir::cat("\n\\| (?:[a-z0-9_ ]* )?", name, "(?: [a-z0-9_ ]*)? \\|[^\n]*\\| ([^|\n]*) \\|\n"));
    ASSERT_TRUE(std::regex_search(entry, row, line)) << Op::name << ' ' << name;
    const std::string expected = limit != nullptr ? in_the_contract(*limit)
                                 : op.error_class() == ErrorClass::rounded
                                     ? "round"
                                     : std::string(ir::enum_name(op.error_class()));
    EXPECT_NE(row[1].str().find(expected), std::string::npos) << Op::name << ' ' << name << ": " << row[1];
  });
}

TEST(FunctionLimits, AreThoseOfTheSpecification) {
  const std::string contract = text_of(std::filesystem::path(PLUMB_SOURCE_DIR) / "docs/spec/ops.md");
  expect_the_contract<Unary>(contract);
  expect_the_contract<Binary>(contract);
  expect_the_contract<Activation>(contract);
}

/// The names of the functions that the GLSL sources define.
std::set<std::string> shader_functions() {
  std::set<std::string> names;
  const std::regex definition("\n(?:precise )?(?:float|double) ([a-z0-9_]+)\\(");
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(PLUMB_SOURCE_DIR) / "gpu_vulkan")) {
    if (entry.path().extension() != ".glsl") continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), definition), end; found != end; ++found)
      names.insert((*found)[1]);
  }
  return names;
}

TEST(FunctionLimits, NameFunctionsThatShadersHave) {
  const auto names = shader_functions();
  const auto check = [&](auto, const auto* limit) {
    if (limit == nullptr) return;
    EXPECT_TRUE(names.contains(std::string(limit->shader))) << limit->shader;
  };
  for_each_function<Unary>(check);
  for_each_function<Binary>(check);
  for_each_function<Activation>(check);
}

TEST(FunctionLimits, OfShadersAreNoWider) {
  const auto check = [](auto op, const auto* limit) {
    if (limit == nullptr) return;
    EXPECT_LE(limit->ulps_in_shaders, limit->ulps) << ir::enum_name(op.function);
  };
  for_each_function<Unary>(check);
  for_each_function<Binary>(check);
  for_each_function<Activation>(check);
}

}  // namespace
}  // namespace plumb::parity::bounds::function_limits_test
