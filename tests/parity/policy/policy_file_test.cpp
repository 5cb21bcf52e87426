#include "parity/policy/policy_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/error.hpp"

namespace plumb::parity::policy::policy_file_test {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse(text, "p.toml");
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string refused(const std::string& body) { return refusal("schema = \"plumb-policy/1\"\n" + body); }

std::string rule(const std::string& id, const std::string& match, const std::string& rest) {
  return "[[rule]]\nid = \"" + id + "\"\nmatch = {" + match + "}\n" + rest + "\n";
}

TEST(PolicyFile, RefusesWithTheLineWhatItDoesNotUnderstand) {
  EXPECT_THAT(refusal(""), HasSubstr("p.toml:1: wanted schema"));
  EXPECT_THAT(refusal("schema = \"plumb-policy/2\""), HasSubstr("found 'plumb-policy/2'"));
  EXPECT_THAT(refusal("schema = \n"), HasSubstr("p.toml:1: no TOML"));
  EXPECT_THAT(refusal("schema = \"plumb-policy/1\"\n\nx = [1, 2"), HasSubstr("p.toml:3: no TOML"));
  EXPECT_THAT(refused("[budgets]\nmin_power = 0.9"), HasSubstr("p.toml:2: policy: wanted one of schema"));
  EXPECT_THAT(refused("[budget]\nmin_powers = 0.9"), HasSubstr("p.toml:3: [budget]: wanted one of false_alarm"));
  EXPECT_THAT(refused("[budget]\nmin_power = 1.1"), HasSubstr("p.toml:3: [budget] min_power: wanted at most 1"));
  EXPECT_THAT(refused("[budget]\nfalse_alarm_per_run = 0"), HasSubstr("wanted 1e-290 to 1, found 0: a bound that is"));
  EXPECT_THAT(refused("[budget]\nfalse_alarm_per_run = 5e-324"),
              HasSubstr("[budget] false_alarm_per_run: wanted 1e-290 to 1, found 4.94066e-324"));
  EXPECT_THAT(refused("[special]\nnan = \"drop\""),
              HasSubstr("p.toml:3: [special] nan: wanted one of match, forbid, ignore"));
  EXPECT_THAT(refused("[special]\nsubnormal = \"drop\""), HasSubstr("wanted one of profile, flush, keep"));
  EXPECT_THAT(refused("[special]\nnan = 1"), HasSubstr("wanted a string, found a"));
  EXPECT_THAT(refused("special = 1"), HasSubstr("[special]: wanted a table"));
  EXPECT_THAT(refused("rule = 3"), HasSubstr("p.toml:2: rule: wanted [[rule]]"));
  EXPECT_THAT(refused("rule = [1, 2]"), HasSubstr("wanted [[rule]]"));
  EXPECT_THAT(refused("[[rule]]\nmatch = {}"), HasSubstr("p.toml:2: rule 1: wanted an id"));
  EXPECT_THAT(refused("[[rule]]\nid = \"a\"\nrequire = { max_abs = 1 }"), HasSubstr("wanted a match"));
  EXPECT_THAT(refused(rule("a", "", "")), HasSubstr("rule a: wanted require or verdict"));
  EXPECT_THAT(refused(rule("a", "", "require = {}")), HasSubstr("found an empty table"));
  EXPECT_THAT(refused(rule("a", "", "require = { max_abs = 1 }") + rule("a", "", "require = { max_abs = 1 }")),
              HasSubstr("p.toml:7: id: 'a' is that of an earlier rule"));
  EXPECT_THAT(refused(rule("a", "opp = \"x\"", "require = { max_abs = 1 }")),
              HasSubstr("p.toml:4: match: wanted one of"));
  EXPECT_THAT(refused(rule("a", "acc = \"f16\"", "require = { max_abs = 1 }")),
              HasSubstr("p.toml:4: match: acc is called accumulation now"));
  EXPECT_THAT(refused(rule("a", "op = []", "require = { max_abs = 1 }")), HasSubstr("wanted 1 to 256 strings"));
  EXPECT_THAT(refused(rule("a", "op = [1]", "require = { max_abs = 1 }")), HasSubstr("wanted a string"));
  EXPECT_THAT(refused(rule("a", "k_reduce = \">=x\"", "require = { max_abs = 1 }")),
              HasSubstr("match.k_reduce: wanted a number"));
  EXPECT_THAT(refused(rule("a", "k_reduce = -1", "require = { max_abs = 1 }")), HasSubstr("wanted a string"));
  EXPECT_THAT(refused(rule("a", "driver = \"radv <new\"", "require = { max_abs = 1 }")),
              HasSubstr("p.toml:4: match.driver"));
  EXPECT_THAT(refused(rule("a", "", "requires = { max_abs = 1 }")), HasSubstr("found 'requires'"));
}

TEST(PolicyFile, RefusesRequirementsThatCannotBeKept) {
  const auto of_require = [](const std::string& require) {
    return refused(rule("a", "", "require = {" + require + "}"));
  };
  EXPECT_THAT(of_require("emulator_ulps = 1"), HasSubstr("p.toml:5: wanted one of bitwise, ratio_max"));
  EXPECT_THAT(of_require("max_abs = -1"), HasSubstr("max_abs: wanted a finite number >= 0"));
  EXPECT_THAT(of_require("max_abs = nan"), HasSubstr("wanted a finite number"));
  EXPECT_THAT(of_require("max_abs = inf"), HasSubstr("wanted a finite number"));
  EXPECT_THAT(of_require("max_abs = \"1/0\""), HasSubstr("is infinite: nothing exceeds it"));
  EXPECT_THAT(of_require("max_abs = \"norm1*1e300*1e300\""), HasSubstr("is infinite: nothing exceeds it"));
  EXPECT_THAT(of_require("max_abs = true"), HasSubstr("wanted a number"));
  EXPECT_THAT(of_require("bitwise = false"), HasSubstr("bitwise: wanted true"));
  EXPECT_THAT(of_require("replay = \"near\""), HasSubstr("replay: wanted one of equal"));
  EXPECT_THAT(of_require("bound = \"mine\""), HasSubstr("bound: wanted one of auto"));
  EXPECT_THAT(of_require("allclose = { rtol = 1 }"), HasSubstr("wanted rtol and atol"));
  EXPECT_THAT(of_require("any = []"), HasSubstr("any: wanted a list of tables"));
  EXPECT_THAT(of_require("any = [{ any = [{ any = [{ any = [{ any = [{ max_abs = 1 }] }] }] }] }]"),
              HasSubstr("at most 4 levels"));
  EXPECT_THAT(of_require("max_abs = \"norm1(x)\""), HasSubstr("wanted the end, found '(x)'"));
  EXPECT_THAT(of_require("max_abs = \"2 *\""), HasSubstr("wanted a number, found the end"));
  EXPECT_THAT(of_require("max_abs = \"(1\""), HasSubstr("wanted ')'"));
  EXPECT_THAT(of_require("max_abs = \"1 1\""), HasSubstr("wanted the end, found '1'"));
  EXPECT_THAT(of_require("max_abs = \"" + std::string(100, '(') + "\""), HasSubstr("fewer nested terms"));
  EXPECT_THAT(of_require("max_abs = \"" + std::string(500, '1') + "\""), HasSubstr("at most 400 characters"));
  EXPECT_THAT(refused(rule("a", "", "part = \"total\"\nrequire = { ratio_max = 1 }")),
              HasSubstr("only the local part"));
  EXPECT_THAT(refused("[output]\ny = { bound = \"auto\" }"), HasSubstr("only the local part"));
  EXPECT_THAT(refused("[output]\ny = 1"), HasSubstr("p.toml:3: [output] y: wanted a table"));
  EXPECT_THAT(refused(rule("a", "", "verdict = \"skip\"")), HasSubstr("wanted one of xfail"));
  EXPECT_THAT(refused(rule("a", "", "verdict = \"xfail\"\nexpires = 2026-01-01")), HasSubstr("must have a reason"));
  EXPECT_THAT(refused(rule("a", "", "verdict = \"xfail\"\nreason = \"r\"")), HasSubstr("must have a date"));
  EXPECT_THAT(refused(rule("a", "", "verdict = \"xfail\"\nreason = \"r\"\nexpires = \"soon\"")),
              HasSubstr("wanted a date"));
}

TEST(PolicyFile, RefusesWordsThatMatchNothing) {
  const auto of_match = [](const std::string& match) { return refused(rule("a", match, "require = { max_abs = 1 }")); };
  EXPECT_EQ(of_match("op = \"matmull\""), "p.toml:4: match.op: no op is called 'matmull'; did you mean matmul?");
  EXPECT_EQ(of_match("op = [\"matmul\", \"softmaks\"]"),
            "p.toml:4: match.op: no op is called 'softmaks'; did you mean softmax?");
  EXPECT_EQ(of_match("op = \"matmull*\""), "p.toml:4: match.op: no op is called 'matmull*'; did you mean matmul?");
  EXPECT_EQ(of_match("op = \"zzzzzzzz\""), "p.toml:4: match.op: no op is called 'zzzzzzzz'; `plumb ops` lists them");
  EXPECT_THAT(of_match("op = \"input\""), HasSubstr("no op is called 'input'"));
  for (const auto& [found, meant] : {std::pair{"float16", "f16"},
                                     {"bfloat16", "bf16"},
                                     {"int64", "i64"},
                                     {"uint8", "u8"},
                                     {"complex64", "c64"},
                                     {"half", "f16"},
                                     {"fp16", "f16"},
                                     {"boolean", "bool"},
                                     {"F32", "f32"}})
    for (const char* key : {"dtype", "in", "accumulation"})
      EXPECT_EQ(of_match(ir::cat(key, " = \"", found, '"')),
                ir::cat("p.toml:4: match.", key, ": no dtype is called '", found, "'; did you mean ", meant, "?"));
  EXPECT_THAT(of_match("dtype = \"quaternion\""), HasSubstr("; there is bool, u8, "));
  EXPECT_THAT(of_match("fill = \"exactly\""), HasSubstr("no fill is called 'exactly'; did you mean exact?"));
  EXPECT_THAT(of_match("exact = [\"proven\"]"), HasSubstr("no exactness is called 'proven'; did you mean proved?"));
  for (const char* match : {"op = \"*\"", "op = [\"conv*\", \"?ft\"]", "dtype = [\"f16\", \"bf*\"]", "in = \"c*\"",
                            "accumulation = \"f32\"", "fill = \"adversarial\"", "exact = [\"proved\", \"unknown\"]",
                            "node = \"anything\"", "kernel = \"of any name\"", "device = \"X\""})
    EXPECT_EQ(of_match(match), "accepted") << match;
}

TEST(PolicyFile, SurvivesHostileText) {
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("no TOML"));
  for (const char* header :
       {"[=", "[[=", "[[[a]]]", "[[ [a", "[#]", "[\n", "[", "[]", "[[]]", " \t[ .a]", "\xEF\xBB\xBF[="})
    EXPECT_THAT(refusal("schema = \"plumb-policy/1\"\n" + std::string(header)), HasSubstr("p.toml:2: no TOML"))
        << header;
  EXPECT_THAT(refusal("\xEF\xBB\xBF[="), HasSubstr("p.toml:1: no TOML"));
  EXPECT_THAT(refusal("x = " + std::string(100000, '[')), HasSubstr("no TOML"));
  EXPECT_THAT(refusal("schema = \"\xff\xfe\""), HasSubstr("no TOML"));
  EXPECT_THAT(refusal(std::string("a\0b", 3)), HasSubstr("no TOML"));
  EXPECT_THAT(refusal(std::string((1 << 20) + 1, '#')), HasSubstr("at most 1048576 bytes"));
  const std::string whole = "schema = \"plumb-policy/1\"\n" +
                            rule("a", "op = [\"fft\", \"conv*\"], k_reduce = \">=64\"",
                                 "require = { any = [{ max_abs = \"2 * u\" }] }\nverdict = \"xfail\"\nreason = \"r\"\n"
                                 "expires = 2026-12-31");
  EXPECT_EQ(refusal(whole), "accepted");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    refusal(whole.substr(0, cut));  // throws Error or nothing
    std::string changed = whole;
    for (const char c : {'\0', '"', '{', ']', '=', '9', '\n'}) {
      changed[cut] = c;
      refusal(changed);
    }
  }
}

}  // namespace
}  // namespace plumb::parity::policy::policy_file_test
