#include "microstep/json/writer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "microstep/json/numbers.hpp"
#include "utf8.hpp"

namespace microstep {
namespace {

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      else
        out += c;
  }
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = utf8::sequence_length(text.substr(i));
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (length == 1)
      append_escaped(out, text[i]);
    else
      out += text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return out + '"';
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(2 * levels_.size(), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  if (!levels_.back().empty) out_ += ',';
  levels_.back().empty = false;
  if (!inlined()) new_line();
}

JsonWriter& JsonWriter::open(char opening, Form form) {
  before_value();
  bool stays = form == Form::line || inlined();
  levels_.push_back({opening == '{' ? '}' : ']', stays});
  out_ += opening;
  return *this;
}

JsonWriter& JsonWriter::close() {
  Level level = levels_.back();
  levels_.pop_back();
  if (!level.inlined && !level.empty) new_line();
  out_ += level.closing;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  out_ += json_text(name);
  out_ += inlined() ? ":" : ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  before_value();
  out_ += json_text(value);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  before_value();
  out_ += fmt::format("{}", value);
  return *this;
}

JsonWriter& JsonWriter::truth(bool value) {
  before_value();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::texts(const std::vector<std::string>& values, Form form) {
  open_array(form);
  for (const std::string& value : values) text(value);
  return close();
}

JsonWriter& JsonWriter::number(Dtype dtype, double value) {
  before_value();
  std::string decimal = decimal_text(dtype, value);
  out_ += std::isfinite(value) ? decimal : '"' + decimal + '"';
  return *this;
}

std::string JsonWriter::finish() {
  if (form_ == Form::lines) out_ += '\n';
  return std::move(out_);
}

}  // namespace microstep
