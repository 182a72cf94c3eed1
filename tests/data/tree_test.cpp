// Leaves that are dense, zero or absent in one buffer; states; rows of traces.
#include "microstep/data/tree.hpp"

#include <gtest/gtest.h>

#include "microstep/data/state.hpp"
#include "microstep/data/trace.hpp"

namespace microstep {
namespace {

const LayoutPointer layout = make_layout({{"w", {2}}, {"e", {0}}, {"s", {}}});

TEST(Tree, AllocatesWhenALeafBecomesDense) {
  Tree<double> tree(layout, Presence::zero);
  EXPECT_TRUE(tree.all_zero());
  EXPECT_EQ(tree.dense_values(2, 7)[0], 7);
  EXPECT_FALSE(tree.all_zero());
  EXPECT_EQ(tree.presence(0), Presence::zero);
  tree.values(2)[0] = 8;
  EXPECT_EQ(tree.dense_values(2, 7)[0], 8);
  tree.mark(2, Presence::absent);
  EXPECT_TRUE(tree.all_zero());
}

TEST(Tree, CopiesAreIndependent) {
  Tree<double> a = filled(layout, 1.0), b(a), c(layout, Presence::zero), d = filled(layout, 4.0);
  c = a;
  d = a;
  a.values(0)[0] = 9;
  a.mark(2, Presence::zero);
  for (const Tree<double>* copy : {&b, &c, &d}) {
    EXPECT_EQ(copy->values(0)[0], 1);
    EXPECT_EQ(copy->presence(2), Presence::dense);
  }
  d = Tree<double>(layout, Presence::absent);
  EXPECT_EQ(d.presence(0), Presence::absent);
  d = *&d;
  EXPECT_EQ(d.presence(1), Presence::absent);
}

TEST(Tree, ADefaultOneIsEmpty) {
  const Tree<double> none;
  EXPECT_FALSE(none);
  Tree<double> copy = none;
  copy = none;
  EXPECT_FALSE(copy);
  EXPECT_TRUE(Tree<double>(layout));
}

TEST(Tree, KeepsItsNumbersUnderAnotherLayout) {
  Tree<double> tree = filled(layout, 2.0);
  tree.replace_layout(with_dtype(layout, Dtype::float64));
  EXPECT_EQ(tree.leaf(0).dtype, Dtype::float64);
  EXPECT_EQ(tree.values(0)[1], 2);
}

TEST(State, FindsByNameOrSaysWhatIsMissing) {
  State<double> state{"adam", {{"count", 3}}, {{"mu", filled(layout, 1.0)}}, {}};
  ++state.count("count");
  EXPECT_EQ(state.count("count"), 4);
  EXPECT_EQ(state.slot("mu").values(2)[0], 1);
  try {
    state.slot("nu");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "data.no-such-state");
  }
  EXPECT_THROW(state.count("mini_step"), Error);
}

TEST(Rows, StartAbsentAndKeepWhatIsWritten) {
  Trace trace(std::make_shared<const Schema>(Schema({{"params/w", {2}}, {"loss", {}}}, {"state/count"})));
  EXPECT_EQ(trace.microsteps(), 0);
  for (int row = 0; row < 3; ++row) trace.append_row();
  EXPECT_EQ(trace.presence(1, 1), Presence::absent);
  trace.presence(1, 0) = Presence::dense;
  trace.numbers(1, 0)[1] = 5;
  trace.numbers(2, 0)[0] = 6;
  trace.count(1, 0) = 7;
  EXPECT_EQ(trace.numbers(1, 0)[1], 5);
  EXPECT_EQ(trace.numbers(1, 0)[0], 0);
  EXPECT_EQ(trace.count(2, 0), 0);
  EXPECT_EQ(trace.microsteps(), 2);
}

TEST(Schema, FindsColumnsByPath) {
  const Schema schema({{"params/w", {2}}, {"params/e", {0}}, {"loss", {}}}, {"state/count", "state/of[0]/count"});
  EXPECT_EQ(schema.width(), 3);
  EXPECT_EQ(schema.columns()[2].offset, 2);
  EXPECT_EQ(schema.find_column("loss"), std::optional<std::size_t>(2));
  EXPECT_EQ(schema.find_column("los"), std::nullopt);
  EXPECT_EQ(schema.find_count("state/of[0]/count"), std::optional<std::size_t>(1));
  EXPECT_EQ(schema.find_count("loss"), std::nullopt);
}

TEST(Embedded, IsTheTraceWithRadiusZero) {
  Trace trace(std::make_shared<const Schema>(Schema({{"params/w", {2}}}, {"state/count"})));
  trace.append_row();
  trace.presence(0, 0) = Presence::dense;
  trace.numbers(0, 0)[1] = 0.1;
  trace.count(0, 0) = 4;
  trace.deviations.push_back({Deviation::Kind::keys, 1, "state/x", "more"});
  const Envelope envelope = embedded(trace);
  EXPECT_EQ(envelope.rows(), 1);
  EXPECT_TRUE(envelope.numbers(0, 0)[1].value == Wide(0.1));
  EXPECT_EQ(envelope.numbers(0, 0)[1].radius, 0);
  EXPECT_EQ(envelope.presence(0, 0), Presence::dense);
  EXPECT_EQ(envelope.count(0, 0), 4);
  EXPECT_EQ(envelope.deviations.size(), 1U);
}

}  // namespace
}  // namespace microstep
