// Every leaf names its dtype: params, gradients, accumulator and state slots each their own.
#include "optim/loop.hpp"

namespace microstep::testing_optim {
namespace {

using Any = Emulated<double>;

Loop<Any> typed_loop(std::string_view spec, Dtype dtype, Numbers start = {0}) {
  return Loop<Any>(spec, vector_of(static_cast<std::int64_t>(start.size()), dtype), start);
}

// The update of the last of these gradients, each rounded to the dtype before.
double last_update(std::string_view spec, Dtype dtype, const Numbers& gradients) {
  auto loop = typed_loop(spec, dtype);
  double update = 0;
  for (double g : gradients) update = loop.step({round_to(dtype, g)})[0];
  return update;
}

TEST(AccumulatorDtype, Float32UnderFloat64LosesFourNanos) {
  // Measured: Optax 0.2.8 and 0.2.6. The first two microsteps are stored in float32, the third goes on in float64.
  const Numbers g{.1, .2, .4};
  EXPECT_EQ(last_update("multi_steps(sgd(1), k=3, acc_dtype=float32)", Dtype::float64, g), -0.2333333373069763);
  EXPECT_EQ(last_update("multi_steps(sgd(1), k=3)", Dtype::float64, g), -0.23333333333333334);
}

TEST(AccumulatorDtype, Float32UnderSixteenBitsIsMoreExact) {
  // Measured: Optax 0.2.8 and 0.2.6.
  const Numbers g{.1, .2, .4};
  const char *wide = "multi_steps(sgd(1), k=3, acc_dtype=float32)", *same = "multi_steps(sgd(1), k=3)";
  EXPECT_EQ(last_update(wide, Dtype::bfloat16, g), -0.2333984375);
  EXPECT_EQ(last_update(same, Dtype::bfloat16, g), -0.234375);
  EXPECT_EQ(last_update(wide, Dtype::float16, g), round_to(Dtype::float16, -0.233276));
  EXPECT_EQ(last_update(same, Dtype::float16, g), round_to(Dtype::float16, -0.233154));
}

// 2/3 is 0.66796875 in bfloat16, and 190 times that 126.9, which is 127; 190 times 2/3 is 126.7, which is 126.5.
TEST(AccumulatorDtype, AShareIsCastToItBeforeItMultiplies) {
  auto loop = typed_loop("multi_steps(sgd(1), k=2, reduce=weighted)", Dtype::bfloat16);
  loop.step({0}, {1});
  EXPECT_EQ(loop.step({190}, {2}), Numbers{-127});
}

TEST(AccumulatorDtype, OnesInBfloat16StopAt256) {
  const Numbers ones(512, 1.0);
  EXPECT_EQ(last_update("multi_steps(sgd(1), k=512, reduce=sum)", Dtype::bfloat16, ones), -256);
  EXPECT_EQ(last_update("multi_steps(sgd(1), k=512, reduce=sum, acc_dtype=float32)", Dtype::bfloat16, ones), -512);
  EXPECT_EQ(last_update("apply_every(512)", Dtype::bfloat16, ones), 256);
}

TEST(AccumulatorDtype, RunningMeanAndSumOverflowAtOtherPlaces) {
  EXPECT_EQ(last_update("multi_steps(sgd(1), k=2)", Dtype::float32, {3e38, -1e38}), infinity);
  EXPECT_EQ(last_update("multi_steps(sgd(1), k=2, reduce=sum)", Dtype::float32, {3e38, -1e38}),
            -static_cast<double>(3e38F + -1e38F));
  EXPECT_EQ(last_update("multi_steps(sgd(1), k=2)", Dtype::float16, {40000, 40000}), -40000);
  EXPECT_EQ(last_update("multi_steps(sgd(1), k=2, reduce=sum)", Dtype::float16, {40000, 40000}), -infinity);
}

TEST(AccumulatorDtype, IsThatOfItsArgumentAtEveryMicrostep) {
  for (const char* name : {"float64", "float32", "bfloat16", "float16"}) {
    for (const char* more : {"", ", skip=window_not_finite"}) {
      auto loop = typed_loop(std::string("multi_steps(sgd(1), k=2, acc_dtype=") + name + more + ")", Dtype::float32);
      for (double g : {0.0, 1.0, 3.0, infinity, 1.0}) {
        EXPECT_EQ(to_string(loop.state.slot("acc_grads").leaf(0).dtype), name);
        loop.step({g});
        EXPECT_EQ(loop.updates.leaf(0).dtype, Dtype::float32);
      }
    }
  }
}

TEST(AccumulatorDtype, RoundsWhatItHolds) {
  auto loop = typed_loop("multi_steps(sgd(1), k=3, acc_dtype=bfloat16)", Dtype::float32);
  loop.step({1 + 0x1p-9});
  EXPECT_EQ(numbers_of<Any>(loop.state.slot("acc_grads")), Numbers{1});
}

TEST(InnerState, KeepsTheDtypeOfTheParams) {
  auto loop = typed_loop("multi_steps(adam(0.5), k=2, acc_dtype=float64)", Dtype::bfloat16);
  for (double g : {1.0, 2.0}) loop.step({g});
  EXPECT_EQ(loop.state.of[0].slot("mu").leaf(0).dtype, Dtype::bfloat16);
  const double mu = numbers_of<Any>(loop.state.of[0].slot("mu"))[0];
  // fl(.1) 1.5, formed in float64 (promotion) and cast: 1 - .9 in double, rounded.
  EXPECT_EQ(mu, round_to(Dtype::bfloat16, (1 - .9) * 1.5));
}

TEST(WiderGradients, HeldAndEmittedUpdatesHaveTheirDtype) {
  for (const char* spec : {"apply_every(2)", "multi_steps(sgd(1), k=2)", "chain(sgd(1), apply_every(2))"}) {
    auto loop = typed_loop(spec, Dtype::bfloat16);
    loop.gradient_layout = vector_of(1, Dtype::float32);
    for (double g : {1 + 0x1p-10, 2.0, 3.0, 4.0}) {
      loop.step({g});
      EXPECT_EQ(loop.updates.leaf(0).dtype, Dtype::float32) << spec;
    }
  }
}

TEST(HyperParameters, AreRoundedToTheLeaf) {
  // bfloat16(0.1) = 0.10009765625.
  EXPECT_EQ(last_update("sgd(0.1)", Dtype::bfloat16, {1}), -0.10009765625);
  EXPECT_EQ(last_update("sgd(0.1)", Dtype::float32, {1}), -static_cast<double>(0.1F));
  EXPECT_EQ(last_update("clip(0.1)", Dtype::bfloat16, {1}), 0.10009765625);
}

TEST(Nesterov, LooksAheadFromTheBufferBeforeItIsRounded) {
  // g = 1 + 2^-10 of float32 over a buffer of bfloat16, which holds 1: g + g/2 where g + 1/2 is wrong.
  for (const char* spec : {"chain(trace(0.5, nesterov=true), scale(-1))", "sgd(1, momentum=0.5, nesterov=true)"}) {
    auto loop = typed_loop(spec, Dtype::bfloat16);
    loop.gradient_layout = vector_of(1, Dtype::float32);
    EXPECT_EQ(loop.step({1 + 0x1p-10}), Numbers{-1.5 - 0x1.8p-10}) << spec;
    EXPECT_EQ(loop.updates.leaf(0).dtype, Dtype::float32);
  }
}

const LayoutPointer bfloat16_beside_float32 = make_layout({{"h", {1}, Dtype::bfloat16}, {"w", {1}, Dtype::float32}});

TEST(ClipByGlobalNorm, DividesEachLeafByTheNormInItsDtype) {
  // 32^2 + 255^2 = 257^2; bfloat16 has 256 and 258, the tie goes to 256: 32/256 where 32/257 is wrong.
  Loop<Any> loop("clip_by_global_norm(1)", bfloat16_beside_float32, {0, 0});
  EXPECT_EQ(loop.step({32, 255}), (Numbers{0.125, static_cast<double>(255.0F / 257.0F)}));
}

TEST(FlushByK, DividesWhereTheWindowWasSummed) {
  // Two of three gradients of 1: 2/3, formed in float32 whatever held the sum before, and cast to the gradient's dtype.
  for (const char* name : {"bfloat16", "float16", "float32"}) {
    Loop<Any> loop(std::string("multi_steps(sgd(1), k=3, partial=flush_by_k, acc_dtype=") + name + ")",
                   bfloat16_beside_float32, {0, 0});
    loop.step({1, 1});
    EXPECT_EQ(loop.step({1, 1}, {1, true}), (Numbers{-0.66796875, -static_cast<double>(2.0F / 3.0F)})) << name;
  }
}

TEST(MixedLeaves, EachKeepsItsOwn) {
  const auto layout = make_layout({{"w", {1}, Dtype::bfloat16}, {"b", {1}, Dtype::float64}});
  Loop<Any> loop("chain(trace(0.5), sgd(0.1))", layout, {0, 0});
  EXPECT_EQ(loop.step({1, 1}), (Numbers{-0.10009765625, -0.1}));
  EXPECT_EQ(loop.updates.leaf(0).dtype, Dtype::bfloat16);
  EXPECT_EQ(loop.updates.leaf(1).dtype, Dtype::float64);
  EXPECT_EQ(loop.state.of[0].slot("trace").leaf(1).dtype, Dtype::float64);
}

}  // namespace
}  // namespace microstep::testing_optim
