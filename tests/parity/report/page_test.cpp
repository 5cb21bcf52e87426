// The page of a run: within its size whatever the run's, and names that are no markup.

#include "parity/report/html/page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "ir/formats/gzip.hpp"
#include "ir/formats/tensor_json.hpp"
#include "parity/report/html/page_data.hpp"

namespace plumb::parity::page_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto hostile = "a</script>\"'&::error::%0A]]>";

/// A node with as much to tell as one has that was compared; no two tell the same.
cases::NodeResult node_with_numbers(std::size_t n) {
  cases::NodeResult node;
  node.node = n;
  node.label = fmt::format("layer{}/attention/part{}", n / 40, n % 40);
  node.op = "matmul";
  node.type = {ir::DType::f32, {128, 64}};
  node.kernel = "gemm.f32";
  node.tile = "64x64x16";
  node.hash = n * 0x9E3779B97F4A7C15u;
  node.verdict = core::Verdict::passed;
  node.local.n = 8192;
  const auto drawn = [&](double k) { return 1e-6 * std::fmod(0.618 * static_cast<double>(n + 1) * k, 1.0); };
  node.local.max_abs = {drawn(1), n};
  node.local.max_ulp = {1e6 * drawn(2), n};
  node.local.rms = drawn(3);
  node.inherited = node.total = node.local;
  for (std::size_t k = 0; k < compare::Comparison::worst_kept; ++k)
    node.local.worst.push_back({n + k, drawn(5 + static_cast<double>(k)), drawn(7), drawn(9), 1e5 * drawn(11)});
  for (std::size_t k = 20; k < 44; ++k) node.local.hist_ulp[k] = (n * k) % 977;
  return node;
}

cases::CaseResult case_of_nodes(std::size_t count) {
  cases::CaseResult result;
  result.subject.name = "g.json";
  result.verdict = core::Verdict::passed;
  for (std::size_t n = 0; n < count; ++n) result.nodes.push_back(node_with_numbers(n));
  return result;
}

std::string page_of(const std::vector<cases::CaseResult>& results) {
  const report::RunFacts facts{.device = "a device"};
  const auto at = [&](std::size_t k) -> const cases::CaseResult& { return results[k]; };
  return report::html::to_page({results.size(), at}, report::suites_of(results, facts), facts);
}

nlohmann::json data_of(const std::string& page) {
  constexpr std::string_view begin = "<script id=\"data\" type=\"text/plain\">";
  const std::size_t from = page.find(begin) + begin.size();
  const auto packed = ir::formats::bytes_from_base64(std::string_view(page).substr(from, page.find('<', from) - from));
  std::string text(std::size_t{64} << 20, '\0');
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return nlohmann::json::parse(text);
}

TEST(Page, HasFiveThousandNodesInTwoMegabytes) {
  const std::vector results = {case_of_nodes(5000)};
  const std::string page = page_of(results);
  EXPECT_LE(page.size(), 2'000'000u);
  EXPECT_EQ(data_of(page)["cases"][0]["nodes"].size(), 5000u);
}

TEST(Page, LeavesOutHistogramsBeforeDetailsAndSaysSo) {
  const std::vector results = {case_of_nodes(10)};
  const auto at = [&](std::size_t k) -> const cases::CaseResult& { return results[k]; };
  const auto with = [&](report::html::Kept kept) {
    return nlohmann::json::parse(report::html::page_data({results.size(), at}, {}, kept));
  };
  const auto all = with(report::html::Kept::all), bare = with(report::html::Kept::no_histograms);
  EXPECT_TRUE(all["cases"][0]["nodes"][3]["more"].contains("ulps"));
  EXPECT_FALSE(bare["cases"][0]["nodes"][3]["more"].contains("ulps"));
  EXPECT_TRUE(bare["cases"][0]["nodes"][3]["more"].contains("worst"));
  EXPECT_EQ(bare["left_out"].size(), all["left_out"].size() + 1);
  EXPECT_FALSE(with(report::html::Kept::no_details_of_passed)["cases"][0]["nodes"][3].contains("more"));
  EXPECT_EQ(with(report::html::Kept::no_passed)["cases"][0]["nodes"].size(), 0u);
}

TEST(Page, HasTheCellsOfMapsThatHaveElements) {
  std::vector results = {case_of_nodes(2)};
  compare::MapBuilder map({2, 300});
  map.raise(299, 1);
  results[0].nodes[1].local.map = map.finish();
  const nlohmann::json nodes = data_of(page_of(results))["cases"][0]["nodes"];
  EXPECT_FALSE(nodes[0]["more"].contains("map"));
  EXPECT_EQ(nodes[1]["more"]["map"]["rows"], 2);
  EXPECT_EQ(nodes[1]["more"]["map"]["columns"], 300);
  const auto cells = ir::formats::bytes_from_base64(nodes[1]["more"]["map"]["cells"].get<std::string>());
  ASSERT_EQ(cells.size(), 128u);
  EXPECT_EQ(cells[63], std::byte{127});
}

TEST(Page, NamesAreTextAndEqualRunsGiveEqualPages) {
  std::vector results = {case_of_nodes(1)};
  cases::NodeResult& node = results[0].nodes[0];
  node.label = hostile;
  node.why = hostile;
  node.verdict = results[0].verdict = core::Verdict::failed;
  const std::string page = page_of(results);
  EXPECT_THAT(page, HasSubstr("a&lt;/script&gt;&quot;&#39;&amp;::error::%0A]]&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("a</script>")));
  EXPECT_THAT(page, HasSubstr("<title>plumb: 1 test failed</title>"));
  EXPECT_EQ(data_of(page)["cases"][0]["nodes"][0]["name"], hostile);
  EXPECT_EQ(page, page_of(results));
}

}  // namespace
}  // namespace plumb::parity::page_test
