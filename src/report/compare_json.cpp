#include "microstep/json/plan.hpp"
#include "microstep/json/writer.hpp"
#include "microstep/report/compare.hpp"
#include "microstep/report/verdicts.hpp"

namespace microstep {
namespace {

void write_side(JsonWriter& out, const Difference& d, std::string_view key, const Ball& ball) {
  out.key(key);
  if (d.is_count)
    out.integer(static_cast<std::int64_t>(ball.value));
  else
    out.number(d.dtype, static_cast<double>(round_to(d.dtype, ball.value)));
}

void write_divergence(JsonWriter& out, const Difference& d) {
  out.open_object(JsonWriter::Form::line);
  out.key("window").integer(d.window).key("microstep").integer(d.microstep).key("path").text(d.path);
  out.key("index").open_array();
  std::vector<std::int64_t> index(d.shape.size());
  std::int64_t flat = d.index;
  for (std::size_t axis = d.shape.size(); axis-- > 0; flat /= d.shape[axis]) index[axis] = flat % d.shape[axis];
  for (std::int64_t i : index) out.integer(i);
  out.close();
  write_side(out, d, "accumulated", d.accumulated);
  write_side(out, d, "reference", d.reference);
  out.key("ulps").number(ulps(d)).close();
}

std::int64_t longest(const std::vector<std::vector<std::int64_t>>& windows) {
  std::size_t k = 0;
  for (const auto& window : windows) k = std::max(k, window.size());
  return static_cast<std::int64_t>(k);
}

}  // namespace

std::string json_report(const Comparison& c) {
  JsonWriter out;
  out.open_object().key("schema").text("microstep/compare/1").key("command").text("compare");
  out.key("accumulated").text(to_string(c.accumulated.spec)).key("reference").text(to_string(c.reference.spec));
  out.key("problem")
      .text(to_string(c.accumulated.problem))
      .key("seed")
      .integer(static_cast<std::int64_t>(c.accumulated.seed));
  out.key("k").integer(longest(c.windows)).key("windows").integer(static_cast<std::int64_t>(c.windows.size()));
  out.key("semantics").text(to_string(c.semantics.verdict));
  out.key("reason");
  c.semantics.reason.empty() ? out.null() : out.text(c.semantics.reason);
  out.key("first_divergence");
  if (c.semantics.verdict == Sameness::different && !c.semantics.differences.empty())
    write_divergence(out, c.semantics.differences.front());
  else
    out.null();
  write_rounding(out, c.rounding);
  out.key("contracts");
  write_verdicts(out, c.contracts);
  out.key("causes").texts(c.causes, JsonWriter::Form::line);
  out.key("equivalent_spec");
  c.equivalent ? out.text(to_string(*c.equivalent)) : out.null();
  std::vector<std::string> not_compared = c.semantics.unpaired;
  not_compared.insert(not_compared.end(), c.left_over.begin(), c.left_over.end());
  out.key("not_compared").texts(not_compared, JsonWriter::Form::line);
  out.key("warnings").texts(c.warnings, JsonWriter::Form::line);
  out.close();
  return out.finish();
}

}  // namespace microstep
