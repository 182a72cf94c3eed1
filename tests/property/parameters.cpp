// rapidcheck draws from a fixed seed unless RC_PARAMS says otherwise, and at most as many cases may stay undecided as
// are decided. Each run prints what it drew from, and a law that says too little of what it was asked fails the
// program.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "property/law.hpp"

namespace {

constexpr const char* usual = "seed=20260711 max_success=1000 max_discard_ratio=1";

const bool set = setenv("RC_PARAMS", usual, 0) == 0;

class Printed : public testing::Environment {
  void SetUp() override { std::printf("RC_PARAMS=%s\n", set ? std::getenv("RC_PARAMS") : ""); }
  void TearDown() override {
    for (const auto& [name, share] : microstep::property::shares()) {
      std::printf("law %s: %lld judged, %lld beside it\n", name.c_str(), static_cast<long long>(share.judged),
                  static_cast<long long>(share.beside));
      EXPECT_EQ(microstep::property::complaint(share), "") << name;
    }
  }
};

const testing::Environment* const printed = testing::AddGlobalTestEnvironment(new Printed);

}  // namespace
