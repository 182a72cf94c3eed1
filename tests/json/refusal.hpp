#pragma once
// The Error that an action throws; an Error with the id "none" if it throws none.
#include <utility>

#include "microstep/data/error.hpp"

namespace microstep {

template <class Action>
Error refusal(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const Error& error) {
    return error;
  }
  return Error("none", "nothing was refused", {}, {});
}

}  // namespace microstep
