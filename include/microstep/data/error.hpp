#pragma once
// A wrong request: what, where, why, and what to do next. A difference between runs is never an Error.
#include <stdexcept>
#include <string>

namespace microstep {

/// id: stable, `room.kebab-case`. place: file, JSON pointer or column, may be empty. next: the step that helps. what()
/// is the whole message: `id: message` with ` at place` and `; next`.
class Error : public std::runtime_error {
 public:
  Error(std::string id, std::string message, std::string place, std::string next)
      : std::runtime_error(id + ": " + message + (place.empty() ? "" : "\n  at " + place) +
                           (next.empty() ? "" : "\n  next: " + next)),
        id_(std::move(id)),
        message_(std::move(message)),
        place_(std::move(place)),
        next_(std::move(next)) {}

  const std::string& id() const { return id_; }
  const std::string& message() const { return message_; }
  const std::string& place() const { return place_; }
  const std::string& next() const { return next_; }

 private:
  std::string id_, message_, place_, next_;
};

}  // namespace microstep
