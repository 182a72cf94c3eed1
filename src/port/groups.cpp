#include "groups.hpp"

#include <signal.h>

#include <array>
#include <atomic>

namespace microstep::port {
namespace {

std::array<std::atomic<int>, 64> groups{};

// Only what is allowed in a handler: loads of lock-free atomics, kill, raise.
void end_groups(int signal) {
  for (const std::atomic<int>& group : groups)
    if (const int id = group.load(); id > 0) kill(-id, SIGKILL);
  raise(signal);
}

bool handle_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = end_groups;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
  return true;
}

}  // namespace

void Groups::add(int group) {
  static const bool handled = handle_signals();
  static_cast<void>(handled);
  for (std::atomic<int>& place : groups) {
    int none = 0;
    if (place.compare_exchange_strong(none, group)) return;
  }
}

void Groups::remove(int group) {
  for (std::atomic<int>& place : groups) {
    int own = group;
    if (place.compare_exchange_strong(own, 0)) return;
  }
}

Groups& groups_to_end() {
  static Groups all;
  return all;
}

}  // namespace microstep::port
