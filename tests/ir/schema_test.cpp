// Every op's header keeps the rules, and attributes survive the way to a file and back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/op_list.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/unary.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::schema_test {
namespace {

class EveryOp : public ::testing::TestWithParam<const OpSchema*> {
 protected:
  const OpSchema& schema() const { return *GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(, EveryOp, ::testing::ValuesIn(all_schemas()),
                         [](const auto& test) { return std::string(test.param->name); });

bool is_snake_case(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::string refusal(const OpSchema& schema, const Attributes& attributes) {
  return tests::message_of([&] { schema.read(attributes); });
}

/// Another value of the attribute's kind than the one it has, if it has one.
Attribute another(const FieldInfo& field, const Attributes& attributes) {
  const auto now = attributes.find(field.name);
  const auto is = [&](const Attribute& value) { return now != attributes.end() && now->second == value; };
  const auto pick = [&](Attribute a, Attribute b) { return is(a) ? b : a; };
  if (field.kind == "bool") return pick(true, false);
  if (field.kind.starts_with("ints")) return pick(std::vector<std::int64_t>{3, -1}, std::vector<std::int64_t>{});
  if (field.kind.starts_with("int")) return pick(std::int64_t{7}, std::int64_t{8});
  if (field.kind.starts_with("reals")) return pick(std::vector<double>{0.1}, std::vector<double>{});
  if (field.kind.starts_with("real")) return pick(0.1, 0.2);
  if (field.kind.starts_with("dtype")) return pick(std::string("i16"), std::string("u8"));
  if (field.kind == "bytes") return Bytes{std::byte{1}, std::byte{255}};
  if (field.kind == "enum") return std::string(field.choices.back());
  return std::string("text");
}

TEST_P(EveryOp, IsDocumented) {
  EXPECT_TRUE(is_snake_case(schema().name));
  EXPECT_FALSE(schema().summary.empty());
  EXPECT_FALSE(schema().formula.empty());
  EXPECT_TRUE(schema().tier >= 1 && schema().tier <= 4) << schema().tier;
  EXPECT_FALSE(schema().outputs.empty());
  for (const auto check : schema().checks) EXPECT_THAT(std::string(check), ::testing::HasSubstr("must")) << check;
  EXPECT_EQ(find_schema(schema().name), &schema());
}

TEST_P(EveryOp, HasFieldsThatAFileCanHold) {
  const std::set<std::string_view> reserved = {"label", "op", "inputs", "values"};
  std::set<std::string_view> names;
  for (const FieldInfo& field : schema().fields()) {
    EXPECT_TRUE(is_snake_case(field.name)) << field.name;
    EXPECT_FALSE(reserved.contains(field.name)) << field.name;
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(field.doc.empty()) << field.name;
    EXPECT_EQ(field.kind == "enum", !field.choices.empty()) << field.name;
    const std::set<std::string_view> choices(field.choices.begin(), field.choices.end());
    EXPECT_EQ(choices.size(), field.choices.size()) << field.name;
    for (const auto choice : choices) EXPECT_TRUE(is_snake_case(choice)) << choice;
  }
}

TEST_P(EveryOp, DeclaresInputsThatReferToEachOther) {
  std::set<std::string_view> before;
  for (const Input& input : schema().inputs) {
    EXPECT_TRUE(input.like.empty() || before.contains(input.like)) << input.name;
    EXPECT_TRUE(before.insert(input.name).second) << input.name;
    EXPECT_FALSE(input.dtypes == DTypes{}) << input.name;
    EXPECT_FALSE(input.shape.empty()) << input.name;
    EXPECT_TRUE(!input.repeated || &input == &schema().inputs.back()) << input.name;
    const auto fields = schema().fields();
    const auto is_its_switch = [&](const FieldInfo& f) { return f.name == input.when && f.kind == "bool"; };
    EXPECT_TRUE(input.when.empty() || std::ranges::any_of(fields, is_its_switch)) << input.name;
  }
}

TEST_P(EveryOp, KeepsEveryAttributeOnTheWayToAFileAndBack) {
  const Op usual = schema().defaults();
  EXPECT_EQ(schema().read(usual.attributes()), usual);
  for (const FieldInfo& field : schema().fields()) {
    Attributes changed = usual.attributes();
    const Attribute value = another(field, changed);
    const bool differs = !changed.contains(std::string(field.name)) || changed.at(std::string(field.name)) != value;
    changed.insert_or_assign(std::string(field.name), value);
    const Op op = schema().read(changed);
    EXPECT_EQ(op.attributes(), changed) << field.name;
    EXPECT_EQ(op != usual, differs) << field.name;
    for (const auto choice : field.choices) {
      changed.insert_or_assign(std::string(field.name), std::string(choice));
      EXPECT_EQ(schema().read(changed).attributes(), changed) << choice;
    }
  }
}

TEST_P(EveryOp, RefusesAttributesByName) {
  Attributes attributes = schema().defaults().attributes();
  attributes.emplace("speed", std::int64_t{3});
  EXPECT_EQ(refusal(schema(), attributes), cat(schema().name, " has no attribute 'speed'"));
  attributes.erase("speed");
  for (const FieldInfo& field : schema().fields()) {
    Attributes wrong = attributes;
    wrong.insert_or_assign(std::string(field.name), field.kind == "bool" ? Attribute(2.5) : Attribute(true));
    EXPECT_THAT(refusal(schema(), wrong), ::testing::StartsWith(cat("attribute '", field.name, "' must be of kind ")));
    Attributes missing = attributes;
    missing.erase(std::string(field.name));
    const auto message = refusal(schema(), missing);
    EXPECT_EQ(message, field.presence == Presence::required ? cat("attribute '", field.name, "' is missing") : "");
  }
}

TEST(Ops, WholeNumbersAreRealsToo) {
  double x = 0;
  from_attribute(Attribute(std::int64_t{3}), x);
  EXPECT_EQ(x, 3);
  std::vector<double> list;
  from_attribute(Attribute(std::vector<std::int64_t>{1, 2}), list);
  EXPECT_EQ(list, (std::vector<double>{1, 2}));
}

TEST(Ops, OfAFamilyAreCalledByTheirFunction) {
  EXPECT_EQ(Op(ops::Unary{ops::UnaryFunction::gelu}).function(), "gelu");
  EXPECT_EQ(Op(ops::Softmax{}).function(), "softmax");
}

TEST(Ops, SaturateWhereTheirResultsEndAtOne) {
  EXPECT_TRUE(Op(ops::Softmax{}).saturates());
  EXPECT_TRUE(Op(ops::Unary{ops::UnaryFunction::tanh}).saturates());
  EXPECT_FALSE(Op(ops::Unary{ops::UnaryFunction::sinh}).saturates());
  EXPECT_FALSE(Op(ops::Matmul{}).saturates());
}

TEST(EnumValue, IsTheReverseOfItsName) {
  const auto names = enum_names(ErrorClass{});
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(enum_value<ErrorClass>(names[i]), static_cast<ErrorClass>(i)) << names[i];
  EXPECT_EQ(enum_value<ErrorClass>("Bits"), std::nullopt);
}

TEST(Ops, AreListedInOrderOfTheirNames) {
  std::vector<std::string> names;
  for (const auto* schema : all_schemas()) names.emplace_back(schema->name);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(find_schema("no_such_op"), nullptr);
}

}  // namespace
}  // namespace plumb::ir::schema_test
