#include <fmt/format.h>

#include "microstep/json/writer.hpp"
#include "microstep/report/goldens.hpp"

namespace microstep {

std::string text_report(const Accepted& a) {
  std::string text;
  for (const std::string& id : a.ids) text += fmt::format("accepted {}\n", id);
  for (const CheckedExperiment& e : a.refused)
    for (const std::string& problem : e.problems) text += fmt::format("not accepted {}: {}\n", e.id, problem);
  if (!a.refused.empty())
    text +=
        "  next: where the library is right, derive that in the list of experiments and record again; else remove the "
        ".new file\n";
  return text;
}

std::string json_report(const Accepted& a) {
  JsonWriter out;
  out.open_object().key("schema").text("microstep/accept/1").key("command").text("accept");
  out.key("accepted").texts(a.ids, JsonWriter::Form::line).key("refused").open_array();
  for (const CheckedExperiment& e : a.refused)
    out.open_object(JsonWriter::Form::line).key("id").text(e.id).key("problems").texts(e.problems).close();
  out.close().close();
  return out.finish();
}

}  // namespace microstep
