#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace microstep::layers {

/// A function with a body: `lines` counts from the first line of its head (template line included) to its closing
/// brace. Lambdas and local types count as part of the function they stand in; a lambda that initialises a variable
/// outside of functions is a function itself.
struct Function {
  std::string head;
  int line;
  int lines;
};

/// Heuristic for formatted code: a brace block at namespace or class scope whose head has an argument list.
std::vector<Function> functions_of(std::string_view text);

/// A GoogleTest or rapidcheck test body.
bool is_test(const Function& function);

}  // namespace microstep::layers
