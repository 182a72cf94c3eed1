#include <gtest/gtest.h>

#include <algorithm>

#include "layers/rules.hpp"

namespace microstep::layers {
namespace {

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

Rooms planted_rooms() {
  return parse_rooms(
      "microstep_room(data)\nmicrostep_room(json USES data)\nmicrostep_room(draw USES data)\n"
      "microstep_room(optim USES data)\nmicrostep_room(port USES json)\n");
}

std::string call_lines(int count) { return repeated("  f();\n", count); }

SourceTree headers(const std::string& room, int count) {
  SourceTree tree;
  for (int i = 0; i < count; ++i) {
    tree.push_back({"include/microstep/" + room + "/h" + std::string(1, char('a' + i)) + ".hpp", ""});
  }
  return tree;
}

/// A tree that keeps the rule by a hair and one that breaks it by a hair, once.
struct Planted {
  std::string rule;
  SourceTree good;
  SourceTree bad;
};

std::vector<Planted> planted_includes() {
  const std::string json = "#include <nlohmann/json.hpp>\n", cli = "#include <CLI/CLI.hpp>\n";
  const std::string eigen = "#include <Eigen/Core>\n", uv = "#include <uv.h>\n";
  return {
      {"include_only_upwards",
       {{"src/json/a.cpp", "#include \"microstep/data/a.hpp\"\n"},
        {"tests/data/a.cpp", "#include \"microstep/draw/a.hpp\"\n"}},
       {{"src/data/a.cpp", "#include \"microstep/json/a.hpp\"\n"}}},
      {"include_only_upwards",
       {{"tools/microstep/a.cpp", "#include <microstep/port/a.hpp>\n"}},
       {{"tools/microstep/a.cpp", "#include <microstep/cellar/a.hpp>\n"}}},
      {"include_only_upwards",
       {{"src/port/a.cpp", "#include <microstep/data/a.hpp>\n"}},
       {{"tests/data/a.cpp", "#include <microstep/optim/a.hpp>\n"}}},
      {"library_files_stand_in_rooms", {{"src/data/a.cpp", ""}}, {{"src/cellar/a.cpp", ""}}},
      {"no_include_cycles",
       {{"include/microstep/data/a.hpp", "#include \"microstep/data/b.hpp\"\n"}, {"include/microstep/data/b.hpp", ""}},
       {{"include/microstep/data/a.hpp", "#include \"microstep/data/b.hpp\"\n"},
        {"include/microstep/data/b.hpp", "#include \"microstep/data/a.hpp\"\n"}}},
      {"no_include_cycles",
       {{"src/data/a.hpp", "#include \"b.hpp\"\n"}, {"src/json/b.hpp", "#include \"a.hpp\"\n"}},
       {{"src/data/a.hpp", "#include \"b.hpp\"\n"}, {"src/data/b.hpp", "#include \"a.hpp\"\n"}}},
      {"no_way_around_the_include_roots",
       {{"src/data/a.cpp", "#include \"b.hpp\"\n"}},
       {{"src/data/a.cpp", "#include \"../json/b.hpp\"\n"}}},
      {"nlohmann_only_in_json", {{"src/json/a.cpp", json}}, {{"include/microstep/json/a.hpp", json}}},
      {"cli11_only_in_tools", {{"tools/microstep/a.cpp", cli}}, {{"src/report/a.cpp", cli}}},
      {"eigen_only_in_tree_and_kernels",
       {{"src/kernels/a.cpp", eigen}, {"include/microstep/data/tree.hpp", eigen}},
       {{"include/microstep/data/spec.hpp", eigen}}},
      {"libuv_only_in_port", {{"src/port/a.cpp", uv}}, {{"include/microstep/port/a.hpp", uv}}},
      {"quadmath_header_nowhere",
       {{"src/scalar/a.cpp", "// quadmath.h\n"}},
       {{"src/scalar/a.cpp", "#include <quadmath.h>\n"}}},
      {"iostream_only_in_the_cli",
       {{"src/data/a.cpp", "#include <ios>\n"}},
       {{"src/data/a.cpp", "#include <iostream>\n"}}},
  };
}

std::vector<Planted> planted_sizes() {
  return {
      {"short_files", {{"src/data/a.cpp", repeated("\n", 250)}}, {{"src/data/a.cpp", repeated("\n", 251)}}},
      {"short_files",
       {{"tools/ports/a_port.py", repeated("\n", 150)}},
       {{"tools/ports/a_port.py", repeated("\n", 151)}}},
      {"short_functions",
       {{"src/data/a.cpp", "void g() {\n" + call_lines(38) + "}\n"},
        {"tests/data/a.cpp", "TEST(A, B) {\n" + call_lines(39) + "}\n"}},
       {{"src/data/a.cpp", "void g() {\n" + call_lines(39) + "}\n"}}},
      {"short_tests",
       {{"tests/data/a.cpp", "TEST(A, B) {\n" + call_lines(23) + "}\n"}},
       {{"tests/data/a.cpp", "TEST(A, B) {\n" + call_lines(24) + "}\n"}}},
      {"short_median_function",
       {{"src/data/a.cpp", "void g() {}\nvoid h() {\n" + call_lines(6) + "}\nvoid i() {\n" + call_lines(20) + "}\n"}},
       {{"src/data/a.cpp", "void g() {}\nvoid h() {\n" + call_lines(7) + "}\nvoid i() {\n" + call_lines(20) + "}\n"}}},
      {"few_headers", headers("data", 8), headers("data", 9)},
      {"few_headers", headers("optim", 9), headers("json", 9)},
  };
}

std::vector<Planted> planted_words() {
  return {
      {"files_named_by_what_they_hold", {{"src/data/utility_curve.cpp", ""}}, {{"src/data/utils.cpp", ""}}},
      {"files_named_by_what_they_hold", {{"src/data/uncommon.cpp", ""}}, {{"src/data/tree_common.cpp", ""}}},
      {"files_named_by_what_they_hold", {{"src/data/a.cpp", ""}}, {{"src/data/detail/a.cpp", ""}}},
      {"headers_once", {{"src/data/a.hpp", "// a\n#pragma once\n"}}, {{"src/data/a.hpp", "// #pragma once\n"}}},
      {"no_setlocale", {{"src/data/a.cpp", "// setlocale\n"}}, {{"src/data/a.cpp", "std::setlocale(0, x);\n"}}},
      {"no_std_to_string", {{"src/data/a.cpp", "to_string(x);\n"}}, {{"src/data/a.cpp", "std::to_string(x);\n"}}},
      {"no_typed_tolerance",
       {{"tests/data/a.cpp", "EXPECT_EQ(a, b);\n"}},
       {{"tests/data/a.cpp", "EXPECT_NEAR(a, b, 1);\n"}}},
      {"no_typed_tolerance", {{"tests/data/a.cpp", ""}}, {{"tests/data/a.cpp", "ASSERT_FLOAT_EQ(a, b);\n"}}},
      {"no_typed_tolerance", {{"tests/data/a.cpp", ""}}, {{"src/data/a.cpp", "if (a.isApprox(b)) f();\n"}}},
      {"no_typed_tolerance",
       {{"src/data/a.cpp", "// rtol\nbool f(double largest_share = inf);\n"}},
       {{"src/data/a.cpp", "constexpr double least_share = 1.0 / 64;\n"}}},
      {"no_typed_tolerance", {{"tools/microstep/a.cpp", ""}}, {{"tools/microstep/a.cpp", "f(x, rtol);\n"}}},
      {"no_ulp_decides",
       {{"src/data/a.cpp", "std::optional<double> ulps; out << ulps; x = ulp_distance(d, a, b);\n"}},
       {{"src/data/a.cpp", "if (ulp_distance(d, a, b) <= 4) f();\n"}}},
      {"no_ulp_decides", {{"src/data/a.cpp", "p->ulps = 3;\n"}}, {{"src/data/a.cpp", "return 4 > gap.ulps;\n"}}},
      {"no_ulp_decides",
       {{"tests/data/a.cpp", "EXPECT_EQ(d.ulps, 3);\n"}},
       {{"tests/data/a.cpp", "EXPECT_LE(d.ulps, 3);\n"}}},
      {"no_typed_tolerance_in_python",
       {{"tools/ports/a.py", "equal(a, b)\n"}},
       {{"tools/ports/a.py", "assert numpy.allclose(a, b)\n"}}},
      {"no_typed_tolerance_in_python", {{"tests/a.py", "x = tools\n"}}, {{"tests/a.py", "f(a, b, rtol=1e-5)\n"}}},
      {"no_normal_distribution",
       {{"src/data/a.cpp", ""}},
       {{"src/data/a.cpp", "std::normal_distribution<double> n;\n"}}},
      {"errors_have_places",
       {{"src/data/a.cpp", "throw Error(\"a.b\", f(x, {}), \" \", {});\n"}},
       {{"src/data/a.cpp", "throw Error(\"a.b\", f(x, y),\n            {}, \"d\");\n"}}},
      {"errors_have_places",
       {{"src/data/a.cpp", "throw Error(\"a.b\", \"c\", p, \"d\");\n"}},
       {{"src/data/a.cpp", "throw FileError(\"a.b\", \"c\", \"\", \"d\");\n"}}},
  };
}

std::vector<Planted> all_planted() {
  std::vector<Planted> all = planted_includes();
  for (const auto& more : {planted_sizes(), planted_words()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

const Rule& rule_named(const std::vector<Rule>& rules, const std::string& id) {
  return *std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.id == id; });
}

std::string listed(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) text += "\n  " + violation.place + ": " + violation.what;
  return text;
}

TEST(PlantedViolations, EachIsFoundOnceAndItsGoodTwinIsNot) {
  const auto rules = all_rules();
  for (const Planted& planted : all_planted()) {
    const Rule& rule = rule_named(rules, planted.rule);
    EXPECT_EQ(listed(rule.check(planted_rooms(), planted.good)), "") << planted.rule;
    EXPECT_EQ(rule.check(planted_rooms(), planted.bad).size(), 1u) << planted.rule << " in " << planted.bad[0].path;
  }
}

TEST(PlantedViolations, EveryRuleHasOne) {
  const auto planted = all_planted();
  for (const Rule& rule : all_rules()) {
    EXPECT_TRUE(std::any_of(planted.begin(), planted.end(), [&](const auto& p) { return p.rule == rule.id; }))
        << rule.id;
  }
}

class House : public testing::TestWithParam<Rule> {};

TEST_P(House, KeepsItsRule) {
  const std::filesystem::path root = MICROSTEP_SOURCE_DIR;
  const Rooms rooms = parse_rooms(read_text(root / "cmake/rooms.cmake"));
  const SourceTree tree = load_tree(root);
  ASSERT_TRUE(rooms.contains("scalar") && !tree.empty());
  EXPECT_EQ(listed(GetParam().check(rooms, tree)), "");
}

INSTANTIATE_TEST_SUITE_P(Layers, House, testing::ValuesIn(all_rules()), [](const auto& info) { return info.param.id; });

}  // namespace

/// How GoogleTest prints a rule.
void PrintTo(const Rule& rule, std::ostream* stream) { *stream << rule.id; }

}  // namespace microstep::layers
