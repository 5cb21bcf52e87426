// The column types of the results file's tables, made from the members of their row structs.
#include "parity/results/results_tables.hpp"

#include <type_traits>

#include "ir/registered_op.hpp"

namespace plumb::parity::results {
namespace {

constexpr auto one = "1", ulp = "ulp", ns = "ns", byte = "byte", second = "s";

template <class E>
std::vector<std::string> choices_in(const Code<E>&) {
  const auto names = enum_names(E{});
  return {names.begin(), names.end()};
}
std::vector<std::string> choices_in(const DTypeCode&) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ir::dtype_count; ++i) names.emplace_back(ir::info(static_cast<ir::DType>(i)).name);
  names.insert(names.begin() + DTypeCode::none, "none");
  return names;
}
std::vector<std::string> choices_in(const OpCode&) { return op_choices(); }

template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, float>)
    return Kind::f4;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::f8;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return Kind::i4;
  else if constexpr (sizeof(T) == 1)
    return Kind::u1;
  else if constexpr (sizeof(T) == 2)
    return Kind::u2;
  else if constexpr (sizeof(T) == 4)
    return Kind::u4;
  else
    return Kind::u8;
}

template <class Row, class T>
Column column(std::string name, T Row::*member, std::string units = one) {
  static const Row row{};
  const auto& held = row.*member;
  const auto offset =
      static_cast<std::size_t>(reinterpret_cast<const char*>(&held) - reinterpret_cast<const char*>(&row));
  if constexpr (requires { std::tuple_size<T>::value; })
    return {std::move(name), kind_of<typename T::value_type>(), offset, std::tuple_size_v<T>, {}, std::move(units)};
  else if constexpr (requires { choices_in(held); })
    return {std::move(name), kind_of<decltype(held.value)>(), offset, 1, choices_in(held), std::move(units)};
  else
    return {std::move(name), kind_of<T>(), offset, 1, {}, std::move(units)};
}

}  // namespace

const std::vector<std::string>& op_choices() {
  static const auto names = [] {
    std::vector<std::string> all = {"input", "param"};
    for (const auto* schema : ir::known_schemas()) all.emplace_back(schema->name);
    return all;
  }();
  return names;
}

const TableType& graph_node_type() {
  using R = GraphNode;
  static const TableType type{
      {column("node", &R::node), column("name_id", &R::name_id), column("op", &R::op), column("dtype_in", &R::dtype_in),
       column("dtype_out", &R::dtype_out), column("rank", &R::rank), column("dims", &R::dims),
       column("n_elem", &R::n_elem), column("k_reduce", &R::k_reduce), column("flops", &R::flops),
       column("bytes", &R::bytes, byte), column("exact", &R::exact)},
      sizeof(R)};
  return type;
}

const TableType& coopmat_type() {
  using R = Coopmat;
  static const TableType type{
      {column("M", &R::M), column("N", &R::N), column("K", &R::K), column("a", &R::a), column("b", &R::b),
       column("c", &R::c), column("r", &R::r), column("scope", &R::scope), column("saturating", &R::saturating)},
      sizeof(R)};
  return type;
}

const TableType& run_type() {
  using R = Run;
  static const TableType type{{column("run", &R::run),
                               column("utc", &R::utc, second),
                               column("seed", &R::seed),
                               column("graph_id", &R::graph_id),
                               column("device_id", &R::device_id),
                               column("env_id", &R::env_id),
                               column("policy_id", &R::policy_id),
                               column("mode", &R::mode),
                               column("precision_id", &R::precision_id),
                               column("fill", &R::fill),
                               column("repeat", &R::repeat),
                               column("wall_s", &R::wall_s, second),
                               column("alpha", &R::alpha),
                               column("first_guilty", &R::first_guilty),
                               column("verdict", &R::verdict),
                               column("subnormals", &R::subnormals),
                               column("coverage_flops", &R::coverage_flops),
                               column("coverage_elements", &R::coverage_elements),
                               column("least_flops", &R::least_flops),
                               column("least_elements", &R::least_elements),
                               column("plain", &R::plain),
                               column("must", &R::must),
                               column("must_met", &R::must_met),
                               column("fill_name_id", &R::fill_name_id),
                               column("lambda", &R::lambda),
                               column("n_limits", &R::n_limits),
                               column("file_id", &R::file_id),
                               column("uuid", &R::uuid),
                               column("launch", &R::launch),
                               column("case_id", &R::case_id),
                               column("subject_id", &R::subject_id),
                               column("options_id", &R::options_id),
                               column("kind", &R::kind),
                               column("param_seed", &R::param_seed),
                               column("alternative", &R::alternative),
                               column("fuse", &R::fuse),
                               column("set_id", &R::set_id),
                               column("profile_id", &R::profile_id),
                               column("profile_file_id", &R::profile_file_id),
                               column("policy_file_id", &R::policy_file_id),
                               column("path_id", &R::path_id),
                               column("repro_id", &R::repro_id),
                               column("message_id", &R::message_id),
                               column("notes_id", &R::notes_id),
                               column("exit", &R::exit),
                               column("candidate_id", &R::candidate_id),
                               column("about_id", &R::about_id),
                               column("attempt", &R::attempt),
                               column("retried", &R::retried),
                               column("attempts_id", &R::attempts_id),
                               column("planted_id", &R::planted_id),
                               column("step", &R::step)},
                              sizeof(R)};
  return type;
}

const TableType& launch_type() {
  using R = Launch;
  static const TableType type{
      {column("uuid", &R::uuid), column("utc", &R::utc, second), column("tool_version_id", &R::tool_version_id),
       column("commit_id", &R::commit_id), column("dirty", &R::dirty), column("argv_id", &R::argv_id),
       column("planned", &R::planned), column("end", &R::end), column("shard", &R::shard), column("shards", &R::shards),
       column("partition_id", &R::partition_id)},
      sizeof(R)};
  return type;
}

/// Columns for the measurements of a comparison and the verdict of its node.
std::vector<Column> measured_columns() {
  using R = Node;
  return {column("run", &R::run),
          column("node", &R::node),
          column("out", &R::out),
          column("part", &R::part),
          column("n", &R::n),
          column("n_bad", &R::n_bad),
          column("n_nan_ref", &R::n_nan_ref),
          column("n_nan_dev", &R::n_nan_dev),
          column("n_inf_ref", &R::n_inf_ref),
          column("n_inf_dev", &R::n_inf_dev),
          column("max_abs", &R::max_abs),
          column("max_abs_at", &R::max_abs_at),
          column("max_rel", &R::max_rel),
          column("max_rel_at", &R::max_rel_at),
          column("max_ulp", &R::max_ulp, ulp),
          column("ulp_p50", &R::ulp_p50, ulp),
          column("ulp_p99", &R::ulp_p99, ulp),
          column("ulp_p999", &R::ulp_p999, ulp),
          column("mean_signed", &R::mean_signed),
          column("rms", &R::rms),
          column("nmse", &R::nmse),
          column("cosine", &R::cosine),
          column("ref_absmax", &R::ref_absmax),
          column("ref_rms", &R::ref_rms),
          column("ref_uncert", &R::ref_uncert),
          column("bound_at_max", &R::bound_at_max),
          column("ratio_max", &R::ratio_max),
          column("ratio_p99", &R::ratio_p99),
          column("ratio_det", &R::ratio_det),
          column("amplification", &R::amplification),
          column("blame", &R::blame),
          column("vacuity", &R::vacuity),
          column("headroom_f16", &R::headroom_f16),
          column("placement", &R::placement),
          column("t_ref_ns", &R::t_ref_ns, ns),
          column("t_dev_ns", &R::t_dev_ns, ns),
          column("out_hash", &R::out_hash),
          column("rule", &R::rule),
          column("verdict", &R::verdict)};
}

/// Further columns: on specials, the truth, the kernel, and elements that were looked at one by one.
std::vector<Column> further_columns() {
  using R = Node;
  return {column("n_nan_differ", &R::n_nan_differ),
          column("n_inf_differ", &R::n_inf_differ),
          column("ref_norm1", &R::ref_norm1),
          column("ref_norm2", &R::ref_norm2),
          column("ratio_finite", &R::ratio_finite),
          column("emulator_ulp", &R::emulator_ulp, "ulp"),
          column("n_recomputed", &R::n_recomputed),
          column("n_undecided", &R::n_undecided),
          column("kernel_id", &R::kernel_id),
          column("tile_id", &R::tile_id),
          column("accumulation", &R::accumulation),
          column("tree", &R::tree),
          column("n_sums", &R::n_sums),
          column("n_open", &R::n_open),
          column("n_replayed", &R::n_replayed),
          column("n_wide", &R::n_wide),
          column("n_out_of_range", &R::n_out_of_range),
          column("of_plain_run", &R::of_plain_run),
          column("no_truth", &R::no_truth),
          column("rounds_off", &R::rounds_off),
          column("sensitivity", &R::sensitivity),
          column("rho", &R::rho),
          column("bits_accumulator", &R::bits_accumulator),
          column("bits_operand", &R::bits_operand),
          column("misrounded", &R::misrounded),
          column("misrounded_bound", &R::misrounded_bound),
          column("bias", &R::bias),
          column("bias_t", &R::bias_t),
          column("n_oracle", &R::n_oracle),
          column("n_oracle_bad", &R::n_oracle_bad),
          column("n_replay", &R::n_replay),
          column("n_replay_equal", &R::n_replay_equal),
          column("lambda", &R::lambda),
          column("sigma_max", &R::sigma_max),
          column("ratio_certain", &R::ratio_certain),
          column("why_id", &R::why_id),
          column("kind", &R::kind),
          column("n_units", &R::n_units),
          column("n_free", &R::n_free),
          column("free_bound", &R::free_bound),
          column("residual", &R::residual),
          column("orthogonality", &R::orthogonality),
          column("guilty", &R::guilty),
          column("group", &R::group),
          column("paired", &R::paired),
          column("limit_by", &R::limit_by),
          column("limit_sigma", &R::limit_sigma),
          column("limit_fixed", &R::limit_fixed),
          column("limit_certain", &R::limit_certain),
          column("special", &R::special),
          column("special_at", &R::special_at)};
}

const TableType& node_type() {
  static const TableType type = [] {
    std::vector<Column> columns = measured_columns();
    for (Column& column : further_columns()) columns.push_back(std::move(column));
    return TableType{std::move(columns), sizeof(Node)};
  }();
  return type;
}

const TableType& relation_type() {
  using R = RelationRow;
  static const TableType type{
      {column("run", &R::run), column("node", &R::node), column("name_id", &R::name_id),
       column("relation", &R::relation), column("how_id", &R::how_id), column("bitwise", &R::bitwise),
       column("n", &R::n), column("n_bad", &R::n_bad), column("n_differ", &R::n_differ),
       column("ratio_max", &R::ratio_max), column("verdict", &R::verdict), column("why_id", &R::why_id)},
      sizeof(R)};
  return type;
}

const TableType& pattern_type() {
  using R = PatternRow;
  static const TableType type{
      {column("run", &R::run), column("node", &R::node), column("out", &R::out), column("kind", &R::kind),
       column("period", &R::period), column("phase", &R::phase), column("k0", &R::k0), column("k1", &R::k1),
       column("score", &R::score), column("text_id", &R::text_id)},
      sizeof(R)};
  return type;
}

const TableType& map_type() {
  using R = MapRow;
  static const TableType type{
      {column("run", &R::run), column("node", &R::node), column("out", &R::out),
       column("of_plain_run", &R::of_plain_run), column("rows", &R::rows), column("columns", &R::columns),
       column("cells", &R::cells)},
      sizeof(R)};
  return type;
}

const TableType& expected_type() {
  using R = ExpectedRow;
  static const TableType type{
      {column("run", &R::run), column("name_id", &R::name_id), column("rule", &R::rule), column("runs", &R::runs),
       column("precision_id", &R::precision_id), column("rtol", &R::rtol), column("atol", &R::atol), column("n", &R::n),
       column("n_bad", &R::n_bad), column("n_flagged", &R::n_flagged), column("n_informative", &R::n_informative),
       column("ratio_max", &R::ratio_max), column("verdict", &R::verdict), column("worst_at", &R::worst_at),
       column("worst_given", &R::worst_given), column("worst_held", &R::worst_held),
       column("worst_limit", &R::worst_limit), column("sigma_max", &R::sigma_max), column("why_id", &R::why_id)},
      sizeof(R)};
  return type;
}

const TableType& pair_type() {
  using R = PairRow;
  static const TableType type{
      {column("run", &R::run), column("second_run", &R::second_run), column("value_id", &R::value_id),
       column("first_id", &R::first_id), column("second_id", &R::second_id), column("n", &R::n),
       column("n_differ", &R::n_differ), column("max_abs", &R::max_abs), column("max_ulp", &R::max_ulp, "ulp"),
       column("rms_first", &R::rms_first), column("rms_second", &R::rms_second)},
      sizeof(R)};
  return type;
}

const TableType& top_element_type() {
  using R = TopElement;
  static const TableType type{
      {column("index", &R::index), column("ref", &R::ref), column("dev", &R::dev), column("bound", &R::bound)},
      sizeof(R)};
  return type;
}

}  // namespace plumb::parity::results
