#pragma once
// The process groups that must not outlive us: ended when a signal ends us.

namespace microstep::port {

class Groups {
 public:
  /// Room for 64; more are not ended by a signal. From the first on, SIGINT, SIGTERM and SIGHUP kill all groups and
  /// then do what they would have done.
  void add(int group);
  void remove(int group);
};
Groups& groups_to_end();

}  // namespace microstep::port
