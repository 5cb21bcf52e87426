// Writes JUnit XML, whatever names and messages hold.
#include "parity/report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "parity/core/terminal/text.hpp"

namespace plumb::parity::report {
namespace {

constexpr std::size_t most_tests = 20'000, most_bytes = 25'000'000;

std::string escaped(std::string_view text, bool is_attribute) {
  std::string safe;
  for (const char c : core::terminal::printable(text)) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"' && is_attribute)
      safe += "&quot;";
    else if ((c == '\n' || c == '\t') && is_attribute)
      safe += "\uFFFD";
    else
      safe += c;
  }
  return safe;
}

std::string attribute(const char* name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escaped(value, true));
}

std::string seconds_attribute(double seconds) {
  return std::isnan(seconds) ? "" : fmt::format(" time=\"{:.6f}\"", seconds);
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string properties_element(const Properties& properties, std::string_view indent) {
  if (properties.empty()) return "";
  std::string xml = fmt::format("{}<properties>\n", indent);
  for (const auto& [name, value] : properties)
    xml += fmt::format("{}  <property{}{}/>\n", indent, attribute("name", name), attribute("value", value));
  return xml + fmt::format("{}</properties>\n", indent);
}

constexpr const char* element_of(TestEnd end) {
  switch (end) {
    case TestEnd::passed:
      break;
    case TestEnd::skipped:
      return "skipped";
    case TestEnd::failure:
      return "failure";
    case TestEnd::error:
      return "error";
  }
  return "";
}

std::string test_element(const Test& test, const std::string& name, const std::string& file) {
  std::string xml = "    <testcase" + attribute("classname", test.group) + attribute("name", name);
  if (!file.empty()) xml += attribute("file", file);
  xml += seconds_attribute(test.seconds);
  const std::string properties = properties_element(test.properties, "      ");
  if (properties.empty() && test.end == TestEnd::passed && test.attempts.empty()) return xml + "/>\n";
  xml += ">\n" + properties;
  if (test.end != TestEnd::passed)
    xml += fmt::format("      <{0}{1}{2}>{3}</{0}>\n", element_of(test.end), attribute("type", test.type),
                       attribute("message", one_line(test.message)), escaped(test.details, false));
  // Readers know an attempt that failed beside one that passed from one beside another that failed.
  const bool fails = test.end == TestEnd::failure || test.end == TestEnd::error;
  for (const std::string& attempt : test.attempts)
    xml += fmt::format("      <{0} type=\"device_fault\"{1}>{2}</{0}>\n", fails ? "rerunError" : "flakyError",
                       attribute("message", one_line(attempt)), escaped(attempt, false));
  return xml + "    </testcase>\n";
}

/// A test as it is to be written, and whether it is.
struct Written {
  std::string xml;
  TestEnd end;
  bool is_kept = true;
};

/// Leaves tests out until what is left is no more than readers take: first those that passed, then from the end.
void keep_below_limits(std::vector<std::vector<Written>>& suites) {
  std::size_t tests = 0, bytes = 0;
  for (const auto& suite : suites)
    for (const Written& one : suite) {
      ++tests;
      bytes += one.xml.size();
    }
  const auto leave_out = [&](Written& one) {
    one.is_kept = false;
    bytes -= one.xml.size();
  };
  if (tests <= most_tests && bytes <= most_bytes) return;
  for (auto& suite : suites)
    for (Written& one : suite)
      if (one.end == TestEnd::passed) leave_out(one);
  for (auto suite = suites.rbegin(); suite != suites.rend(); ++suite)
    for (auto one = suite->rbegin(); one != suite->rend() && bytes > most_bytes; ++one)
      if (one->is_kept) leave_out(*one);
}

/// The name as it is read back: several names may become the same by what XML cannot hold.
std::string unique_name(std::set<std::string>& taken, const Test& test) {
  for (std::size_t n = 1;; ++n) {
    std::string name = n == 1 ? test.name : fmt::format("{} #{}", test.name, n);
    if (taken.insert(escaped(test.group, true) + '\n' + escaped(name, true)).second) return name;
  }
}

std::string suite_element(const Suite& suite, const std::vector<Written>& tests) {
  const auto kept = [&](auto&& holds) {
    return std::ranges::count_if(tests, [&](const Written& one) { return one.is_kept && holds(one.end); });
  };
  const auto so = [&](TestEnd wanted) { return kept([&](TestEnd end) { return end == wanted; }); };
  const auto n = kept([](TestEnd) { return true; });
  std::string xml = "  <testsuite" + attribute("name", suite.name) +
                    fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", n, so(TestEnd::failure),
                                so(TestEnd::error), so(TestEnd::skipped));
  if (!suite.file.empty()) xml += attribute("file", suite.file);
  xml += seconds_attribute(suite.seconds) + ">\n";
  Properties properties = suite.properties;
  const auto left_out = static_cast<std::ptrdiff_t>(tests.size()) - n;
  if (left_out > 0) properties.emplace_back("left_out", std::to_string(left_out));
  xml += properties_element(properties, "    ");
  for (const Written& one : tests)
    if (one.is_kept) xml += one.xml;
  return xml + "  </testsuite>\n";
}

}  // namespace

std::string to_junit(std::span<const Suite> suites) {
  std::set<std::string> taken;
  std::vector<std::vector<Written>> written;
  for (const Suite& suite : suites) {
    auto& tests = written.emplace_back();
    for (const Test& test : suite.tests)
      tests.push_back({test_element(test, unique_name(taken, test), suite.file), test.end});
  }
  keep_below_limits(written);
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (std::size_t s = 0; s < suites.size(); ++s) xml += suite_element(suites[s], written[s]);
  return xml + "</testsuites>\n";
}

}  // namespace plumb::parity::report
