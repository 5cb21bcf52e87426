// Breaks graph files: their text, their JSON, and what that says.
#include "parity/studies/fuzz/broken.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "parity/studies/fuzz/chooser.hpp"

namespace plumb::parity::studies::fuzz {
namespace {

using Json = nlohmann::ordered_json;

struct JsonBreak {
  const char* how;
  void (*apply)(Json& file, Json& node, Chooser& choose);
};

/// Each leaves JSON that says what no graph file may say.
constexpr std::array json_breaks = {
    JsonBreak{"another format", [](Json& file, Json&, Chooser&) { file["format"] = "plumb.graph/999"; }},
    JsonBreak{"no nodes", [](Json& file, Json&, Chooser&) { file.erase("nodes"); }},
    JsonBreak{"nodes that are no list", [](Json& file, Json&, Chooser&) { file["nodes"] = 7; }},
    JsonBreak{"an op that is none", [](Json&, Json& node, Chooser&) { node["op"] = "sotfmax"; }},
    JsonBreak{"an op that is a number", [](Json&, Json& node, Chooser&) { node["op"] = -1; }},
    JsonBreak{"an operand that is not there", [](Json&, Json& node, Chooser&) { node["inputs"].push_back("nobody"); }},
    JsonBreak{"a node that reads itself", [](Json&, Json& node, Chooser&) { node["inputs"].push_back(node["label"]); }},
    JsonBreak{"operands that are no list",
              [](Json&, Json& node, Chooser&) {
                node["inputs"] = {{"a", 1}};
              }},
    JsonBreak{"an attribute that is none", [](Json&, Json& node, Chooser&) { node["axsi"] = 1; }},
    JsonBreak{"an attribute of another kind",
              [](Json&, Json& node, Chooser&) {
                Json deep = Json::array();
                for (int k = 0; k < 200; ++k) deep = Json::array({deep});
                node["axis"] = deep;
              }},
    JsonBreak{"two nodes of one label", [](Json& file, Json& node, Chooser&) { file["nodes"].push_back(Json(node)); }},
    JsonBreak{"a result that is not there", [](Json& file, Json&, Chooser&) { file["results"] = {"nobody"}; }},
    JsonBreak{"an input of no dtype",
              [](Json& file, Json&, Chooser&) {
                file["inputs"]["z"] = {{"type", "f33[2]"}};
              }},
    JsonBreak{"an input of a negative extent",
              [](Json& file, Json&, Chooser& choose) {
                file["inputs"]["z"] = {{"type", choose.one_of<const char*>({"f32[-1]", "f32[2, -9]"})}};
              }},
    JsonBreak{"an input of too many elements",
              [](Json& file, Json&, Chooser&) {
                file["inputs"]["z"] = {{"type", "f32[9223372036854775807, 9223372036854775807]"}};
              }},
    JsonBreak{"an input of too many axes",
              [](Json& file, Json&, Chooser&) {
                std::string type = "f32[1";
                for (int axis = 0; axis < 5000; ++axis) type += ", 1";
                file["inputs"]["z"] = {{"type", type + "]"}};
              }},
    JsonBreak{"a fill that is none",
              [](Json& file, Json&, Chooser&) {
                file["inputs"]["z"] = {{"type", "f32[2]"}, {"fill", {{"distribution", "cauchy"}}}};
              }},
};

/// Each leaves text that is no JSON, or not that of one value.
Broken break_text(std::string text, Chooser& choose) {
  switch (choose.below(5)) {
    case 0:
      text.resize(choose.below(text.find_last_of('}')));
      return {"cut off", text};
    case 1:
      text.insert(text.find_last_of('}') + 1, 1 + choose.below(3), '}');
      return {"too much at its end", text};
    case 2:
      text[text.find('"')] = static_cast<char>(choose.below(32));
      return {"a control character in place of a quote", text};
    case 3:
      text.insert(text.find('"') + 1, "\xff\xfe");
      return {"no UTF-8", text};
    default:
      return {"nested without an end", std::string(100'000 + choose.below(1000), '[')};
  }
}

}  // namespace

Broken break_file(const ir::formats::GraphFile& file, std::uint64_t seed, std::uint64_t number) {
  std::seed_seq mixed{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
  check::Random random(mixed);
  Chooser choose(random);
  std::string text = ir::formats::write_graph(file);
  if (choose.once_in(4)) return break_text(std::move(text), choose);
  const JsonBreak& broken = json_breaks[choose.below(json_breaks.size())];
  Json json = Json::parse(text);
  broken.apply(json, json["nodes"][choose.below(json["nodes"].size())], choose);
  return {broken.how, json.dump(1)};
}

}  // namespace plumb::parity::studies::fuzz
