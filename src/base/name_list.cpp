#include "base/name_list.hpp"

namespace macmi::base {
namespace {

/// Reads the quoted name that begins at `at` (on its quote) and leaves `at` behind the closing quote. False when the
/// quote is never closed or something other than a comma follows: the text is then a plain name that holds quotes.
bool read_quoted(std::string_view text, std::size_t& at, std::string& name) {
  name.clear();
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] != '"') {
      name += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '"') {
      name += text[i++];
    } else {
      if (i + 1 < text.size() && text[i + 1] != ',') return false;
      at = i + 1;
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string name;
    if (text[at] != '"' || !read_quoted(text, at, name)) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      name = text.substr(at, end - at);
      at = end;
    }
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

std::string join_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    if (name.find(',') == std::string::npos && !name.starts_with('"')) {
      text += name;
      continue;
    }
    text += '"';
    for (const char c : name) text.append(c == '"' ? 2 : 1, c);
    text += '"';
  }
  return text;
}

}  // namespace macmi::base
