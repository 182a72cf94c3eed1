#include "microstep/optim/leaves.hpp"

#include <algorithm>

namespace microstep {
namespace {

bool matches(std::string_view glob, std::string_view name) {
  if (glob.empty()) return name.empty();
  if (glob.front() == '*') return matches(glob.substr(1), name) || (!name.empty() && matches(glob, name.substr(1)));
  return !name.empty() && (glob.front() == '?' || glob.front() == name.front()) &&
         matches(glob.substr(1), name.substr(1));
}

}  // namespace

std::vector<bool> matching_leaves(const Layout& layout, const std::vector<Value>& globs) {
  std::vector<bool> result;
  for (const Leaf& leaf : layout.leaves())
    result.push_back(globs.empty() || std::ranges::any_of(globs, [&](const Value& glob) {
                       return matches(std::get<std::string>(glob.data), leaf.name);
                     }));
  return result;
}

}  // namespace microstep
