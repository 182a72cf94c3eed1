// Random traces in all dtypes: every bit survives, and what is read is written as the same bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "microstep/data/error.hpp"
#include "microstep/json/trace.hpp"

namespace microstep {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t count) { return static_cast<std::size_t>(random() % count); }

Dtype random_dtype(Random& random) { return all_dtypes()[below(random, 4)]; }

double random_value(Random& random, Dtype dtype) {
  const DtypeFacts& f = facts(dtype);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double special[] = {0.0, -0.0, infinity, -infinity, f.smallest_subnormal, -f.smallest_normal, f.largest};
  if (below(random, 4) == 0) return special[below(random, 7)];
  double x = from_bits(dtype, random());
  return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
}

SchemaPointer random_schema(Random& random) {
  const Shape shapes[] = {{}, {2}, {0}, {3, 1}, {2, 0, 3}, {1, 2, 1, 2}};
  std::vector<Column> columns;
  std::vector<std::string> names = {"w", "net/b", "e\"s\xC3\xA9"};
  for (const std::string& name : names)
    columns.push_back({"params/" + name, shapes[below(random, 6)], random_dtype(random)});
  for (std::string section : {"gradients/", "updates/"})
    for (std::size_t i = 0; i < names.size(); ++i)
      columns.push_back({section + names[i], columns[i].shape, random_dtype(random)});
  for (std::string slot : {"state/acc/", "state/of[0]/mu/", "state/of[0]/of[2]/nu/"})
    for (std::size_t i = 0; i < names.size(); ++i)
      columns.push_back({slot + names[i], below(random, 4) == 0 ? Shape{2} : columns[i].shape, random_dtype(random)});
  columns.push_back({"loss", {}, random_dtype(random)});
  return std::make_shared<const Schema>(columns, std::vector<std::string>{"state/n", "state/of[0]/of[2]/count"});
}

bool may_be_absent(const std::string& path, std::int64_t row) {
  return row == 0 ? path.starts_with("gradients") || path.starts_with("updates") || path == "loss"
                  : path.starts_with("gradients") || path == "loss";
}

Trace random_trace(Random& random) {
  Trace trace(random_schema(random));
  for (std::int64_t row = 0; row < 4; ++row) {
    trace.append_row();
    for (std::size_t c = 0; c < trace.schema().columns().size(); ++c) {
      const Column& column = trace.schema().columns()[c];
      bool absent = may_be_absent(column.path, row) && (row == 0 || below(random, 3) == 0);
      trace.presence(row, c) = absent ? Presence::absent : Presence::dense;
      for (double& x : trace.numbers(row, c)) x = random_value(random, column.dtype);
    }
    for (std::size_t i = 0; i < 2; ++i) trace.count(row, i) = static_cast<std::int64_t>(random());
  }
  return trace;
}

void expect_same_bits(const Column& column, std::span<const double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(std::isnan(a[i]) ? std::isnan(b[i]) : bits_of(column.dtype, a[i]) == bits_of(column.dtype, b[i]))
        << column.path;
}

/// Of a column that is absent throughout nothing is written, and its dtype is not read back.
bool is_written(const Trace& trace, std::size_t c) {
  for (std::int64_t row = 0; row < trace.rows(); ++row)
    if (trace.presence(row, c) != Presence::absent) return true;
  return false;
}

void expect_same(const Trace& trace, const Trace& back) {
  for (std::size_t c = 0; c < trace.schema().columns().size(); ++c) {
    if (!is_written(trace, c)) continue;
    const Column& column = trace.schema().columns()[c];
    std::size_t other = back.schema().find_column(column.path).value();
    ASSERT_EQ(back.schema().columns()[other].dtype, column.dtype) << column.path;
    ASSERT_EQ(back.schema().columns()[other].shape, column.shape) << column.path;
    for (std::int64_t row = 0; row < trace.rows(); ++row) {
      ASSERT_EQ(back.presence(row, other), trace.presence(row, c)) << column.path;
      if (trace.presence(row, c) == Presence::dense)
        expect_same_bits(column, trace.numbers(row, c), back.numbers(row, other));
    }
  }
  for (std::int64_t row = 0; row < trace.rows(); ++row)
    for (std::size_t i = 0; i < 2; ++i) ASSERT_EQ(back.count(row, i), trace.count(row, i));
}

TEST(RandomTrace, SurvivesBitForBit) {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    Trace trace = random_trace(random);
    std::string text = encode_trace(trace);
    Trace back = decode_trace(text);
    ASSERT_TRUE(back.deviations.empty()) << back.deviations[0].path << back.deviations[0].message;
    expect_same(trace, back);
    ASSERT_EQ(encode_trace(back), text);
    ASSERT_EQ(encode_trace(trace), text);
  }
}

TEST(RandomTrace, IsRefusedOrReadWhereverItIsCut) {
  Random random(12);
  std::string text = encode_trace(random_trace(random));
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    std::string cut = text.substr(0, length);
    EXPECT_THROW(decode_trace(cut), Error) << length;
  }
}

// One byte changed: either it is refused with an Error or it is read; nothing else may happen.
TEST(RandomTrace, SurvivesDamage) {
  Random random(13);
  std::string text = encode_trace(random_trace(random));
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    damaged[below(random, damaged.size())] = static_cast<char>(random());
    try {
      encode_trace(decode_trace(damaged));
    } catch (const Error& error) {
      EXPECT_FALSE(error.id().empty());
    }
  }
}

}  // namespace
}  // namespace microstep
