// Sum records as JSON, for reports and results files: written, and read back with checks of every member.
#include "ir/formats/sums_json.hpp"

#include "ir/attribute.hpp"
#include "ir/formats/node_text.hpp"

namespace plumb::ir::formats {
namespace {

template <class E>
Json word(E value) {
  return enum_name(value);
}

Json level_json(const SumLevel& level) {
  JsonObject object;
  object.emplace_back("count", level.count);
  object.emplace_back("take", word(level.take));
  object.emplace_back("join", word(level.join));
  object.emplace_back("compensated", level.compensated);
  return object;
}

void add_members(JsonObject& object, const Sum& sum) {
  JsonObject unit;
  unit.emplace_back("kind", word(sum.unit));
  unit.emplace_back("accumulator", info(sum.accumulator).name);
  JsonArray levels, epilogue;
  for (const SumLevel& level : sum.levels) levels.push_back(level_json(level));
  for (const SumStep step : sum.epilogue) epilogue.push_back(word(step));
  object.emplace_back("of", word(sum.of));
  object.emplace_back("unit", std::move(unit));
  object.emplace_back("levels", std::move(levels));
  object.emplace_back("order", sum.order);
  object.emplace_back("kept", sum.is_rounded ? "rounded" : "unrounded");
  object.emplace_back("epilogue", std::move(epilogue));
  object.emplace_back("rescale", sum.rescale);
}

const std::string& text_member(const Json& object, std::string_view name) {
  return text_of(member(object, name), name);
}

std::int64_t count_member(const Json& object, std::string_view name) {
  const std::int64_t* count = member(object, name).whole();
  require(count != nullptr && *count >= 0, name, " must be a whole number that is not negative");
  return *count;
}

template <class T>
T choice_of(const std::string& text) {
  T value{};
  from_attribute(text, value);
  return value;
}

template <class T>
T choice(const Json& object, std::string_view name) {
  return choice_of<T>(text_member(object, name));
}

SumLevel level_of(const Json& json) {
  check_keys(object_of(json, "a level"), {"count", "take", "join", "compensated"});
  const bool* compensated = member(json, "compensated").boolean();
  require(compensated != nullptr, "compensated must be true or false");
  return {count_member(json, "count"), choice<SumTake>(json, "take"), choice<SumJoin>(json, "join"), *compensated};
}

Sum sum_of(const Json& json) {
  const Json& unit = member(json, "unit");
  check_keys(object_of(unit, "unit"), {"kind", "accumulator"});
  Sum sum{.of = choice<SumName>(json, "of"),
          .unit = choice<SumUnit>(unit, "kind"),
          .accumulator = choice<DType>(unit, "accumulator"),
          .order = text_member(json, "order"),
          .rescale = count_member(json, "rescale")};
  for (const Json& level : array_of(member(json, "levels"), "levels")) sum.levels.push_back(level_of(level));
  for (const Json& step : array_of(member(json, "epilogue"), "epilogue"))
    sum.epilogue.push_back(choice_of<SumStep>(text_of(step, "a step of the epilogue")));
  const std::string& kept = text_member(json, "kept");
  require(kept == "rounded" || kept == "unrounded", "kept must be 'rounded' or 'unrounded'");
  sum.is_rounded = kept == "rounded";
  return sum;
}

}  // namespace

Json json_of(const Sum& sum) {
  JsonObject object;
  add_members(object, sum);
  return object;
}

std::string to_json(std::span<const Sum> sums) {
  JsonArray array;
  for (const Sum& sum : sums) array.push_back(json_of(sum));
  return to_text(Json(std::move(array)));
}

std::string to_json(const SumOfNode& row) {
  JsonObject object;
  object.emplace_back("node", row.node);
  add_members(object, row.sum);
  return to_text(Json(std::move(object)));
}

std::vector<Sum> parse_sums(std::string_view text) {
  const Json json = parse_json(text);
  std::vector<Sum> sums;
  for (const Json& one : array_of(json, "sums")) {
    check_keys(object_of(one, "a sum"), {"of", "unit", "levels", "order", "kept", "epilogue", "rescale"});
    sums.push_back(sum_of(one));
  }
  return sums;
}

SumOfNode parse_sum_of_node(std::string_view text) {
  const Json json = parse_json(text);
  check_keys(object_of(json, "a sum"), {"node", "of", "unit", "levels", "order", "kept", "epilogue", "rescale"});
  return {text_member(json, "node"), sum_of(json)};
}

void require_modest(const Sum& sum) {
  constexpr std::size_t most_levels = 8;
  constexpr std::int64_t most_items = std::int64_t{1} << 20;
  require(sum.levels.size() <= most_levels, "a sum has at most ", most_levels, " levels, got ", sum.levels.size());
  std::int64_t items = 1;
  for (const SumLevel& level : sum.levels) {
    if (level.count == 0) continue;
    require(level.count <= most_items / items, "the levels of a sum have at most ", most_items, " items together");
    items *= level.count;
  }
}

}  // namespace plumb::ir::formats
