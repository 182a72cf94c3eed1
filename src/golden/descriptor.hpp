#pragma once
// An open file that is closed at the end of its scope.
#include <unistd.h>

namespace microstep {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  /// False if the kernel reports that earlier writes failed.
  bool close() {
    bool closed = number_ < 0 || ::close(number_) == 0;
    number_ = -1;
    return closed;
  }

 private:
  int number_;
};

}  // namespace microstep
