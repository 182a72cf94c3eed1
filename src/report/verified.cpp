#include <fmt/format.h>

#include <algorithm>

#include "microstep/json/writer.hpp"
#include "microstep/report/goldens.hpp"
#include "microstep/report/value.hpp"
#include "microstep/report/verdicts.hpp"

namespace microstep {
namespace {

struct Totals {
  std::int64_t passed = 0, failed = 0, skipped = 0, judged = 0, exact = 0;
  double largest_share = 0;
  std::string largest;
  std::optional<Rounding> rounding;
};

void add_rounding(const CheckedExperiment& e, std::optional<Rounding>& all) {
  std::optional<Rounding> own = rounding_in(e);
  if (!own) return;
  if (!own->path.empty()) own->path = fmt::format("{}, {}", e.id, own->path);
  all = all ? both(*all, *own) : *own;
}

Totals totals_of(const VerifiedFolder& verified) {
  Totals t;
  for (const CheckedExperiment& e : verified.experiments) {
    bool skipped = e.skipped.contains(Role::accumulated);
    ++(!e.problems.empty() ? t.failed : skipped ? t.skipped : t.passed);
    for (const auto& [role, f] : e.faithful) {
      t.judged += f.judged;
      t.exact += f.exact;
    }
    add_rounding(e, t.rounding);
    if (e.largest_share <= t.largest_share) continue;
    t.largest_share = e.largest_share;
    t.largest = e.id + " " + e.largest_path;
  }
  return t;
}

}  // namespace

std::string text_report(const VerifiedFolder& v) {
  std::string text;
  for (const CheckedExperiment& e : v.experiments) {
    for (const std::string& problem : e.problems) text += fmt::format("FAIL {}: {}\n", e.id, problem);
    for (const auto& [role, why] : e.skipped) text += fmt::format("SKIP {} ({}): {}\n", e.id, to_string(role), why);
  }
  for (const Error& fault : v.faults) text += fmt::format("FAULT {}\n", fault.what());
  for (const std::string& name : v.orphans)
    text += fmt::format("ORPHAN {}: no manifest line, no experiment uses it\n", name);
  for (const std::string& name : v.pending) text += fmt::format("PENDING {}: microstep accept {}\n", name, v.path);
  for (const std::string& id : v.proposed)
    text += fmt::format("WRITTEN {}.json.new: look at it, then microstep accept {} {}\n", id, v.path, id);
  const Totals t = totals_of(v);
  text += fmt::format("{} numbers judged, {} of them with no room at all; largest share of a bound {}{}\n", t.judged,
                      t.exact, rough(t.largest_share), t.largest.empty() ? "" : " in " + t.largest);
  return text + fmt::format("{} pass, {} fail, {} skipped, {} faults, {} orphans\n", t.passed, t.failed, t.skipped,
                            v.faults.size(), v.orphans.size());
}

std::string json_report(const VerifiedFolder& v) {
  const Totals t = totals_of(v);
  JsonWriter out;
  out.open_object().key("schema").text("microstep/verify/1").key("command").text("verify");
  out.key("experiments").open_array();
  for (const CheckedExperiment& e : v.experiments) {
    bool skipped = e.skipped.contains(Role::accumulated);
    out.open_object(JsonWriter::Form::line).key("id").text(e.id);
    out.key("verdict").text(!e.problems.empty() ? "fail" : skipped ? "skipped" : "pass");
    out.key("largest_share").number(e.largest_share);
    write_rounding(out, rounding_in(e));
    out.key("problems").texts(e.problems).close();
  }
  out.close().key("faults").open_array();
  for (const Error& fault : v.faults) out.text(fault.what());
  out.close().key("orphans").texts(v.orphans).key("pending").texts(v.pending).key("written").texts(v.proposed);
  out.key("numbers").integer(t.judged).key("exact").integer(t.exact).key("largest_share").number(t.largest_share);
  write_rounding(out, t.rounding);
  out.key("pass").integer(t.passed).key("fail").integer(t.failed).key("skipped").integer(t.skipped).close();
  return out.finish();
}

}  // namespace microstep
