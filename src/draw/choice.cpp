#include "choice.hpp"

namespace microstep {

DrawnChoice drawn_choice(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, open)), std::string(text.substr(open + 1, text.size() - open - 2))};
}

bool is_brought(const OpRule& rule, std::string_view argument) {
  for (const ArgumentRule& other : rule.arguments)
    for (std::string_view text : other.choices)
      if (drawn_choice(text).brings == argument) return true;
  return false;
}

}  // namespace microstep
