#include "layers/functions.hpp"

#include <gtest/gtest.h>

#include "layers/source.hpp"

namespace microstep::layers {
namespace {

/// `head`, `count` statements, `tail`, each on a line of its own.
std::string body_of(const std::string& head, int count, const std::string& tail = "}") {
  std::string text = head + "\n";
  for (int i = 0; i < count; ++i) text += "  if (x) { call(\"}\"); }\n";
  return text + tail + "\n";
}

struct Shape {
  const char* name;
  const char* head;
  const char* tail = "}";
};

/// Every way a function is written in this code base; 10 statements and the lines of head and tail.
class FunctionShapes : public testing::TestWithParam<Shape> {};

TEST_P(FunctionShapes, AreFoundWithTheirLength) {
  const std::string text = "#pragma once\nint first = 1;\n" + body_of(GetParam().head, 10, GetParam().tail);
  const auto found = functions_of(text + "int last();\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].lines, static_cast<int>(lines_of(text).size()) - 2);
}

const Shape shapes[] = {
    {"free", "int f(int a) {"},
    {"two_line_head", "std::vector<int> f(int a,\n                   int b) {"},
    {"template", "template <class S>\nTree<S> f(const Tree<S>& a) {"},
    {"constrained", "template <class S>\n  requires(A<S> && B)\nS f(S a) {"},
    {"trailing_return", "auto f(int a) -> std::vector<int> {"},
    {"default_argument", "int f(std::vector<int> a = {}, int b = 2) {"},
    {"operator_less", "bool operator<(const A& a, const A& b) {"},
    {"operator_assign", "A& A::operator=(const A& a) noexcept {"},
    {"initialiser_list", "A::A(int a) : a_{a}, b_(1) {"},
    {"lambda_variable", "const auto f = [](int a) {", "};"},
    {"test", "TEST(Suite, Name) {"},
    {"property", "RC_GTEST_PROP(Suite, Name, (int a)) {"},
};
INSTANTIATE_TEST_SUITE_P(Layers, FunctionShapes, testing::ValuesIn(shapes),
                         [](const auto& info) { return info.param.name; });

TEST(Functions, MembersAndNamespacesAreWalkedInto) {
  const auto found = functions_of(
      "namespace a::b {\nclass C : public D<int(int)> {\n public:\n  int f() const override { return 1; }\n"
      "  C() : x{1} {\n  }\n  int x{2};\n};\nenum class E { one };\nstruct S {\n  void g() {}\n};\n}  // namespace\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].line, 4);
  EXPECT_EQ(found[1].lines, 2);
  EXPECT_EQ(found[2].line, 11);
}

TEST(Functions, TablesConceptsAndValuesAreNone) {
  EXPECT_TRUE(functions_of("const std::vector<Op> table = {\n  {1, f(2)},\n};\n").empty());
  EXPECT_TRUE(functions_of("std::array<int, 2> a{1, 2};\n").empty());
  EXPECT_TRUE(functions_of("template <class T>\nconcept C = requires(const T& t) {\n  t.f();\n};\n").empty());
}

TEST(Functions, TestsAreToldApart) {
  EXPECT_TRUE(is_test({"TEST_P(Suite, Name)", 1, 1}));
  EXPECT_TRUE(is_test({"RC_GTEST_PROP(Suite, Name, (int a))", 1, 1}));
  EXPECT_FALSE(is_test({"int TESTS(int a)", 1, 1}));
}

}  // namespace
}  // namespace microstep::layers
