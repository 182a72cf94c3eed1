#pragma once
// Lists of texts, and objects of which each value is one.
#include <map>
#include <string>
#include <vector>

#include "microstep/json/document.hpp"
#include "microstep/json/writer.hpp"

namespace microstep {

inline std::vector<std::string> read_texts(const Document& list) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.expect(Document::Kind::list).size(); ++i) texts.push_back(list.element(i).text());
  return texts;
}

inline std::map<std::string, std::string> read_text_map(const Document& object) {
  std::map<std::string, std::string> texts;
  for (std::size_t i = 0; i < object.expect(Document::Kind::object).size(); ++i)
    texts.emplace(object.key(i), object.element(i).text());
  return texts;
}

inline void write_texts(JsonWriter& out, const std::map<std::string, std::string>& texts) {
  out.open_object(JsonWriter::Form::line);
  for (const auto& [name, text] : texts) out.key(name).text(text);
  out.close();
}

}  // namespace microstep
