#include "masks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "microstep/optim/leaves.hpp"

namespace microstep {
namespace {

std::string advice(const std::string& glob, const Layout& layout) {
  std::vector<std::string_view> names;
  for (const Leaf& leaf : layout.leaves()) names.emplace_back(leaf.name);
  std::string literal = glob;
  std::erase_if(literal, [](char c) { return c == '*' || c == '?'; });
  const std::string nearest = nearest_name(literal, names);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  return fmt::format("the leaves are {}", fmt::join(names, ", "));
}

bool matches_any(const Layout& layout, const std::vector<Value>& globs) {
  const std::vector<bool> matched = matching_leaves(layout, globs);
  return std::ranges::find(matched, true) != matched.end();
}

void collect(const Spec& spec, const Layout& layout, std::vector<std::string>& lines) {
  if (auto mask = spec.args.find("mask"); mask != spec.args.end()) {
    const auto& globs = std::get<std::vector<Value>>(mask->second.data);
    for (const Value& glob : globs) {
      if (matches_any(layout, {glob})) continue;
      const std::string& text = std::get<std::string>(glob.data);
      lines.push_back(fmt::format("'{}' in the mask of {} matches no leaf; {}", text, spec.op, advice(text, layout)));
    }
    if (!matches_any(layout, globs))
      throw Error("plan.mask", fmt::format("no leaf is in the mask of {}: {}", spec.op, lines.back()), to_string(spec),
                  "name leaves of the problem, or leave the mask away for all of them");
  }
  for (const Spec& inner : spec.of) collect(inner, layout, lines);
}

}  // namespace

std::vector<std::string> unmatched_globs(const Spec& spec, const Layout& layout) {
  std::vector<std::string> lines;
  collect(spec, layout, lines);
  return lines;
}

}  // namespace microstep
