#include "microstep/json/document.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "refusal.hpp"

namespace microstep {
namespace {

using Kind = Document::Kind;

Error refused(const std::string& text) {
  return refusal([&] { Document::parse(text, "f.json"); });
}

TEST(Document, KeepsOrderAndValues) {
  Document document = Document::parse(R"({"z":[1,true,null],"a":{"b":"é\n"}})");
  EXPECT_EQ(document.key(0), "z");
  EXPECT_EQ(document.at("z").size(), 3U);
  EXPECT_EQ(document.at("z").element(0).integer(), 1);
  EXPECT_TRUE(document.at("z").element(1).truth());
  EXPECT_TRUE(document.at("z").element(2).is(Kind::null));
  EXPECT_EQ(document.at("a").at("b").text(), "é\n");
  EXPECT_FALSE(document.find("b"));
}

TEST(Document, PointsAtAPlaceByRfc6901) {
  Document document = Document::parse(R"({"a/b":[{"c~d":0},{"c~d":0}]})", "f.json");
  EXPECT_EQ(document.place(), "f.json#");
  EXPECT_EQ(document.at("a/b").element(1).at("c~d").place(), "f.json#/a~1b/1/c~0d");
}

TEST(Document, OutlivesTheTextAndItsParent) {
  std::optional<Document> part;
  {
    std::string text = R"({"a":["kept"]})";
    part = Document::parse(text).at("a");
  }
  EXPECT_EQ(part->element(0).text(), "kept");
}

struct Refused {
  std::string text, id, place;
};

const Refused not_strict[] = {
    {"", "json.empty", "f.json"},
    {" \n\t", "json.empty", "f.json"},
    {"{\"a\":1,}", "json.invalid-json", "f.json:1:8"},
    {"{\"a\":1", "json.invalid-json", "f.json:1:7"},
    {"[1,\n  2,,3]", "json.invalid-json", "f.json:2:5"},
    {"{'a':1}", "json.invalid-json", "f.json:1:2"},
    {"[01]", "json.invalid-json", "f.json:1:3"},
    {"[1}", "json.invalid-json", "f.json:1:3"},
    {"[1.]", "json.invalid-json", "f.json:1:"},
    {"[+1]", "json.invalid-json", "f.json:1:2"},
    {"// a\n{}", "json.invalid-json", "f.json:1:1"},
    {"{} {}", "json.trailing-text", "f.json:1:4"},
    {"[1]x", "json.trailing-text", "f.json:1:4"},
    {"[NaN]", "json.bare-nan", "f.json:1:2"},
    {"[nan]", "json.bare-nan", "f.json:1:2"},
    {"[1,Infinity]", "json.bare-nan", "f.json:1:4"},
    {"[-Infinity]", "json.bare-nan", "f.json:1:2"},
    {"[1e999]", "json.number-out-of-range", "f.json:1:2"},
    {"[-1e999]", "json.number-out-of-range", "f.json:1:2"},
    {"\xEF\xBB\xBF{}", "json.byte-order-mark", "f.json:1:1"},
    {std::string("{}\0", 3), "json.nul-byte", "f.json:1:3"},
    {std::string("{\"\0\":1}", 7), "json.nul-byte", "f.json:1:3"},
    {"[\"\xff\"]", "json.invalid-utf8", "f.json:1:3"},
    {"[\"\xc0\xaf\"]", "json.invalid-utf8", "f.json:1:3"},
    {"[\"\xed\xa0\x80\"]", "json.invalid-utf8", "f.json:1:3"},
    {"[\"\\ud800\"]", "json.invalid-utf8", "f.json:1:"},
    {"{\"a\":1,\"b\":2,\"a\":3}", "json.duplicate-key", "f.json#"},
    {"[{},{\"x\":{\"\":1,\"\":2}}]", "json.duplicate-key", "f.json#/1/x"},
    {"{\n<<<<<<< HEAD\n\"a\":1\n=======\n\"a\":2\n>>>>>>> b\n}", "json.merge-conflict", "f.json:2:1"},
    {std::string(65, '['), "json.too-deep", "f.json"},
    {std::string(100000, '['), "json.too-deep", "f.json"},
};

TEST(Document, RefusesTextThatIsNotStrictJson) {
  for (const Refused& row : not_strict) {
    Error error = refused(row.text);
    EXPECT_EQ(error.id(), row.id) << row.text.substr(0, 60);
    EXPECT_EQ(error.place().find(row.place), 0U) << row.text.substr(0, 60) << " at " << error.place();
  }
}

TEST(Document, ReadsSixtyFourLevels) { EXPECT_EQ(refused(std::string(64, '[') + std::string(64, ']')).id(), "none"); }

TEST(Document, ShowsTheLineAndACaret) {
  EXPECT_EQ(refused("{\n  \"a\": tru\n}").place(), "f.json:2:8\n      \"a\": tru\n           ^");
}

TEST(Document, ShowsAPieceOfALongLine) {
  std::string place = refused("[" + std::string(100000, ' ') + "x]").place();
  EXPECT_LT(place.size(), 200U);
  EXPECT_EQ(place.find("f.json:1:100002\n"), 0U);
}

TEST(Document, NamesTheByteOfBadUtf8) {
  EXPECT_NE(refused("[\"ab\xff\"]").message().find("byte 4 "), std::string::npos);
}

TEST(Document, NamesPythonForABareNan) { EXPECT_NE(refused("[NaN]").next().find("Python"), std::string::npos); }

TEST(Document, KeepsMergeMarkersInsideStrings) { EXPECT_EQ(refused("[\"<<<<<<< HEAD\"]").id(), "none"); }

template <class Read>
Error misread(const std::string& element, Read read) {
  Document document = Document::parse("[" + element + "]", "f");
  return refusal([&] { read(document.element(0)); });
}

TEST(Document, ReadsIntegersOfSixtyThreeBits) {
  auto integer = [](const Document& d) { return d.integer(); };
  EXPECT_EQ(Document::parse("-9223372036854775808").integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Document::parse("9223372036854775807").integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(misread("9223372036854775808", integer).id(), "json.integer-range");
  EXPECT_EQ(misread("18446744073709551616", integer).id(), "json.integer-range");
  EXPECT_EQ(misread("-9223372036854775809", integer).id(), "json.integer-range");
  EXPECT_EQ(misread("1.0", integer).id(), "json.wrong-type");
  EXPECT_EQ(misread("1e3", integer).id(), "json.wrong-type");
  EXPECT_EQ(misread("\"1\"", integer).id(), "json.wrong-type");
  EXPECT_EQ(misread("null", integer).id(), "json.null-number");
}

TEST(Document, ReadsNumbersOfADtype) {
  auto single = [](const Document& d) { return d.number(Dtype::float32); };
  EXPECT_EQ(Document::parse("18446744073709551616").number(), 0x1p64);
  EXPECT_EQ(Document::parse("\"-Infinity\"").number(), -HUGE_VAL);
  EXPECT_TRUE(std::signbit(Document::parse("-0").number()));
  EXPECT_TRUE(std::signbit(Document::parse("-0.0").number()));
  EXPECT_EQ(misread("null", single).id(), "json.null-number");
  EXPECT_NE(misread("null", single).next().find("JavaScript and Rust"), std::string::npos);
  EXPECT_EQ(misread("\"0.1\"", single).id(), "json.wrong-type");
  EXPECT_EQ(misread("\"nan\"", single).id(), "json.wrong-type");
  EXPECT_EQ(misread("true", single).id(), "json.wrong-type");
  EXPECT_EQ(misread("1e39", single).id(), "json.number-out-of-range");
  EXPECT_EQ(misread("0.123456789", single).id(), "json.not-representable");
  EXPECT_EQ(misread("0.123456789", single).place(), "f#/0");
}

TEST(Document, NamesTheKeyThatIsMissing) {
  Document document = Document::parse(R"({"a":{}})", "f");
  Error error = refusal([&] { document.at("a").at("b"); });
  EXPECT_EQ(error.id(), "json.missing-key");
  EXPECT_EQ(error.place(), "f#/a");
  EXPECT_NE(error.message().find("\"b\""), std::string::npos);
  EXPECT_EQ(refusal([&] { document.at("a").at("b"); }).what(),
            std::string("json.missing-key: the key \"b\" is missing\n  at f#/a\n  next: add it"));
}

TEST(Document, AsksForEachKind) {
  Document document = Document::parse(R"([1,"a",{},[],true])");
  EXPECT_EQ(refusal([&] { document.at("a"); }).id(), "json.wrong-type");
  EXPECT_EQ(refusal([&] { document.element(0).text(); }).id(), "json.wrong-type");
  EXPECT_EQ(refusal([&] { document.element(1).truth(); }).id(), "json.wrong-type");
  EXPECT_EQ(refusal([&] { document.element(2).expect(Kind::list); }).id(), "json.wrong-type");
}

}  // namespace
}  // namespace microstep
