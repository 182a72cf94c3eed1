#include "microstep/json/writer.hpp"
#include "microstep/report/floor.hpp"

namespace microstep {
namespace {

using Form = JsonWriter::Form;

void write_pairs(JsonWriter& out, const std::map<std::string, std::string>& pairs) {
  out.open_array(Form::line);
  for (const auto& [name, text] : pairs) out.text(name + " " + text);
  out.close();
}

void write_optional(JsonWriter& out, const std::optional<double>& number) { number ? out.number(*number) : out.null(); }

JsonWriter& write_numbers(JsonWriter& out, const Distance& d) {
  out.open_object(Form::line).key("absolute").number(d.absolute).key("relative").number(d.relative);
  return out.key("ulp").number(d.ulp);
}

void write_difference(JsonWriter& out, const Distance& d) {
  write_numbers(out, d).key("rows").integer(d.rows).key("equal_rows").integer(d.equal_rows);
  out.key("class_changes");
  d.margin ? out.integer(d.class_changes) : out.null();
  write_optional(out.key("margin"), d.margin);
  out.close();
}

struct Table {
  std::string_view name, setting;
};

void write_line(JsonWriter& out, const Table& table, const FloorLine& line) {
  out.open_object().key("table").text(table.name).key("setting").text(table.setting).key("what").text(line.what);
  write_pairs(out.key("kernels"), line.kernels);
  out.key("trouble");
  line.trouble.empty() ? out.null() : out.text(line.trouble);
  write_difference(out.key("difference"), line.between);
  write_numbers(out.key("error"), line.to_exact).close();
  out.key("bound").open_object(Form::line).key("rule");
  line.bound.rule.empty() ? out.null() : out.text(line.bound.rule);
  out.key("share").number(line.bound.share).close().close();
}

void write_lines(JsonWriter& out, const Floor& floor) {
  out.open_array();
  for (const ByBatch& table : floor.by_batch)
    for (const FloorLine& line : table.lines) write_line(out, {"by_batch", table.setting}, line);
  for (const FloorLine& line : floor.by_switch) write_line(out, {"by_switch", line.what}, line);
  for (const RowByRow& rows : floor.row_by_row)
    for (const FloorLine& line : rows.lines) write_line(out, {"row_by_row", rows.setting}, line);
  out.close();
}

void write_groups(JsonWriter& out, const Floor& floor) {
  out.open_array();
  for (const ByBatch& table : floor.by_batch) {
    out.open_object(Form::line).key("setting").text(table.setting).key("batches").open_array();
    for (std::int64_t batch : floor.batches) out.integer(batch);
    out.close().key("groups").open_array();
    for (std::size_t group : table.groups) out.integer(static_cast<std::int64_t>(group));
    out.close().close();
  }
  out.close();
}

}  // namespace

std::string json_report(const Floor& floor) {
  JsonWriter out;
  out.open_object().key("schema").text("microstep/floor/1").key("command").text("floor");
  out.key("model").text(to_string(floor.model)).key("dtype").text(to_string(floor.dtype));
  out.key("seed").integer(static_cast<std::int64_t>(floor.seed)).key("port").text(floor.port);
  write_pairs(out.key("runtime"), floor.runtime);
  out.key("budget").open_object(Form::line);
  write_optional(out.key("absolute"), floor.budget.absolute);
  write_optional(out.key("relative"), floor.budget.relative);
  out.close();
  write_lines(out.key("lines"), floor);
  write_groups(out.key("same_bits"), floor);
  out.key("beyond_budget").texts(floor.beyond_budget).key("conclusion").texts(conclusion(floor)).close();
  return out.finish();
}

}  // namespace microstep
