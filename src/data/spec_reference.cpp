#include <fmt/format.h>

#include "spec_rules.hpp"

namespace microstep {
namespace {

std::string signature(const OpRule& rule) {
  std::vector<std::string> parts;
  if (rule.inner == Inner::one) parts.emplace_back(inner_name);
  if (rule.inner == Inner::many) parts.emplace_back("links...");
  for (const ArgumentRule& argument : rule.arguments) {
    if (bringer_of(rule, argument.name).rule) continue;
    std::string part(argument.name);
    if (argument.type == ArgumentType::sizes) part += "...";
    if (!argument.preset.empty()) part += fmt::format("={}", argument.preset);
    parts.push_back(std::move(part));
  }
  return parts.empty() ? std::string(rule.name) : fmt::format("{}({})", rule.name, fmt::join(parts, ", "));
}

std::string default_of(const OpRule& rule, const ArgumentRule& argument) {
  if (const Bringer by = bringer_of(rule, argument.name); by.rule) return fmt::format("with {}", by.choice.name);
  return argument.preset.empty() ? "required" : fmt::format("`{}`", argument.preset);
}

std::string reference_of(const OpRule& rule) {
  std::string text = fmt::format("### `{}`\n{}.{}\n", signature(rule), rule.help,
                                 rule.accumulates ? " Holds gradients back over microsteps." : "");
  if (!rule.arguments.empty()) text += "\n| argument | takes | default | meaning |\n|---|---|---|---|\n";
  for (const ArgumentRule& argument : rule.arguments) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", argument.name, takes(argument), default_of(rule, argument),
                        argument.help);
  }
  return text + "\n";
}

std::string references_of(OpKind kind) {
  std::string text;
  for (const OpRule& rule : op_table()) {
    if (rule.kind == kind) text += reference_of(rule);
  }
  return text;
}

}  // namespace

std::string language_reference() {
  return "## Optimizers\n\n" + references_of(OpKind::transformation) + "## Problems\n\n" +
         references_of(OpKind::problem) + "## Models\n\nThe trained problems are models, too.\n\n" +
         references_of(OpKind::model);
}

}  // namespace microstep
