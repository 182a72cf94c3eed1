#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace microstep::bench {
namespace {

double seconds_on(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of this thread's own time, so that other programs on the machine count as little as possible; a child process has
// none of it.
double sample(const Work& work, int calls, clockid_t clock) {
  if (work.prepare) work.prepare();
  const double start = seconds_on(clock);
  for (int i = 0; i < calls; ++i) work.run();
  return (seconds_on(clock) - start) / calls;
}

double figure_of(const Case& which, bool peer_first) {
  if (which.figure == Figure::milliseconds) return 1e3 * sample(which.subject, which.calls, CLOCK_MONOTONIC);
  constexpr clockid_t own = CLOCK_THREAD_CPUTIME_ID;
  if (!which.peer) return 1 / sample(which.subject, which.calls, own);
  const double before = peer_first ? sample(*which.peer, which.calls, own) : 0;
  const double subject = sample(which.subject, which.calls, own);
  return subject / (peer_first ? before : sample(*which.peer, which.calls, own));
}

bool is_at_least(Figure figure) { return figure == Figure::rate; }

Line line_of(const Case& which, std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t n = samples.size(), quartile = n / 4;
  const double best = is_at_least(which.figure) ? samples[n - 1 - quartile] : samples[quartile];
  return {which.name, which.figure, samples[n / 2], best, which.limit};
}

std::string text(Figure figure, double value) {
  switch (figure) {
    case Figure::ratio:
      return fmt::format("{:.2f} x", value);
    case Figure::rate:
      return fmt::format("{:.0f} /s", value);
    case Figure::milliseconds:
      return fmt::format("{:.1f} ms", value);
  }
  return {};
}

std::string limit_text(const Line& line) {
  if (!line.limit) return "-";
  return (is_at_least(line.unit) ? ">= " : "<= ") + text(line.unit, *line.limit);
}

std::string met_text(const Line& line) {
  if (!line.limit) return "-";
  if (line.met()) return "yes";
  return line.missed_beyond_noise() ? "NO" : "no, within noise";
}

}  // namespace

bool Line::meets(double value) const {
  if (!limit) return true;
  return is_at_least(unit) ? value >= *limit : value <= *limit;
}

std::vector<Line> measure(const std::vector<Case>& cases, int rounds) {
  std::vector<std::vector<double>> samples(cases.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < cases.size(); ++i) samples[i].push_back(figure_of(cases[i], round % 2 == 1));
  std::vector<Line> lines;
  for (std::size_t i = 0; i < cases.size(); ++i) lines.push_back(line_of(cases[i], std::move(samples[i])));
  return lines;
}

std::string table(const std::vector<Line>& lines) {
  std::string result = fmt::format("\n{:<64} {:>12} {:>14}  {}\n", "name", "figure", "limit", "met");
  for (const Line& line : lines)
    result += fmt::format("{:<64} {:>12} {:>14}  {}\n", line.name, text(line.unit, line.figure), limit_text(line),
                          met_text(line));
  return result;
}

}  // namespace microstep::bench
