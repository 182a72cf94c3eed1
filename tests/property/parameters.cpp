// rapidcheck draws from a fixed seed unless RC_PARAMS says otherwise, and at most as many cases may stay undecided as
// are decided. Each run prints what it drew from.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr const char* usual = "seed=20260711 max_success=1000 max_discard_ratio=1";

const bool set = setenv("RC_PARAMS", usual, 0) == 0;

class Printed : public testing::Environment {
  void SetUp() override { std::printf("RC_PARAMS=%s\n", set ? std::getenv("RC_PARAMS") : ""); }
};

const testing::Environment* const printed = testing::AddGlobalTestEnvironment(new Printed);

}  // namespace
