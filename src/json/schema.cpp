#include <fmt/format.h>

#include <charconv>

#include "microstep/json/plan.hpp"

namespace microstep {
namespace {

constexpr int known_version = 1;

constexpr std::pair<HyperPrecision, std::string_view> precision_names[] = {
    {HyperPrecision::undeclared, "undeclared"},
    {HyperPrecision::leaf, "leaf"},
    {HyperPrecision::float32, "float32"},
    {HyperPrecision::float64, "float64"},
};

}  // namespace

void check_schema(const Document& document, std::string_view name) {
  Document schema = document.at("schema");
  std::string stem = "microstep/" + std::string(name) + "/";
  const std::string& text = schema.text();
  std::string due = stem + fmt::to_string(known_version);
  if (text == due) return;
  int version = 0;
  if (text.starts_with(stem)) std::from_chars(text.data() + stem.size(), text.data() + text.size(), version);
  if (version > known_version)
    schema.refuse("json.newer-schema", text + " is newer than this tool", "this tool reads " + due);
  schema.refuse("json.wrong-schema", "\"" + text + "\" where \"" + due + "\" is due", "name the file that is meant");
}

std::string_view to_string(HyperPrecision precision) {
  for (const auto& [value, name] : precision_names)
    if (value == precision) return name;
  return {};
}

HyperPrecision read_hyper_precision(const Document& name) {
  for (const auto& [value, known] : precision_names)
    if (name.text() == known) return value;
  name.refuse("json.wrong-value", "the precision \"" + name.text() + "\" is unknown",
              "known are undeclared, leaf, float32, float64");
}

}  // namespace microstep
