#include "data/arrays/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>

#include "macmi/error.hpp"

namespace macmi::data {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw InputError(fmt::format("{}: not a NumPy array that macmi reads: {}", name, what));
}

/// The part of Python's literals that a .npy header uses: strings, True and False, whole numbers, tuples and lists, and
/// one dictionary around it all.
struct Literal {
  enum class Kind { text, boolean, number, sequence, dictionary } kind = Kind::number;
  std::string text;
  std::size_t number = 0;
  std::vector<Literal> items;     ///< of a sequence; the values of a dictionary
  std::vector<std::string> keys;  ///< of a dictionary

  const Literal* find(const std::string& key) const {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] == key) return &items[i];
    return nullptr;
  }
};

class LiteralParser {
 public:
  LiteralParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Literal parse(int depth = 0) {
    if (depth > 8) bad();
    const char c = peek();
    if (c == '\'' || c == '"') return string();
    if (c == '(' || c == '[') return sequence(c == '(' ? ')' : ']', depth);
    if (c == '{') return dictionary(depth);
    if (c == 'T' || c == 'F') return boolean();
    return number();
  }

 private:
  [[noreturn]] void bad() const { refuse(name_, "the header does not parse"); }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) { return peek() == c ? (++at_, true) : false; }

  Literal string() {
    Literal result;
    result.kind = Literal::Kind::text;
    const char quote = text_[at_++];
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;  // only quotes and backslashes matter in names
      result.text += text_[at_];
    }
    if (at_++ >= text_.size()) bad();
    return result;
  }
  Literal boolean() {
    Literal result;
    result.kind = Literal::Kind::boolean;
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        result.number = word == "True";
        return result;
      }
    bad();
  }
  Literal number() {
    Literal result;
    const char* begin = text_.data() + at_;
    const auto [rest, error] = std::from_chars(begin, text_.data() + text_.size(), result.number);
    if (error != std::errc()) bad();
    at_ += static_cast<std::size_t>(rest - begin);
    take('L');  // Python 2 wrote 10L
    return result;
  }
  Literal sequence(char close, int depth) {
    Literal result;
    result.kind = Literal::Kind::sequence;
    for (++at_; !take(close);) {
      result.items.push_back(parse(depth + 1));
      if (!take(',') && peek() != close) bad();
    }
    return result;
  }
  Literal dictionary(int depth) {
    Literal result;
    result.kind = Literal::Kind::dictionary;
    for (++at_; !take('}');) {
      const Literal key = parse(depth + 1);
      if (key.kind != Literal::Kind::text || !take(':')) bad();
      result.keys.push_back(key.text);
      result.items.push_back(parse(depth + 1));
      if (!take(',') && peek() != '}') bad();
    }
    return result;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

/// '<f8' and the like.
NpyField parse_type(const std::string& type, const std::string& name) {
  NpyField field;
  const auto unknown = [&]() {
    refuse(name, fmt::format("values of type '{}'; save it as numbers, booleans or text", type));
  };
  if (type.size() < 3) unknown();
  field.big_endian = type[0] == '>';
  if (type[0] != '<' && type[0] != '>' && type[0] != '|' && type[0] != '=') unknown();
  field.kind = type[1];
  const char* end = type.data() + type.size();
  const auto [rest, error] = std::from_chars(type.data() + 2, end, field.size);
  if (error != std::errc() || rest != end || field.size == 0 || field.size > (1u << 20)) unknown();
  const std::size_t s = field.size;
  const bool known = (field.kind == 'f' && (s == 2 || s == 4 || s == 8)) ||
                     ((field.kind == 'i' || field.kind == 'u') && (s == 1 || s == 2 || s == 4 || s == 8)) ||
                     (field.kind == 'b' && s == 1) || field.kind == 'S' || field.kind == 'U';
  if (!known) unknown();
  if (field.kind == 'U') field.size *= 4;
  return field;
}

void add_fields(const Literal& descr, const std::string& name, NpyHeader& header) {
  if (descr.kind == Literal::Kind::text) {
    header.fields.push_back(parse_type(descr.text, name));
    header.element_size = header.fields[0].size;
    return;
  }
  std::set<std::string> names;
  for (const Literal& item : descr.items) {
    if (item.kind != Literal::Kind::sequence || item.items.size() != 2 || item.items[0].kind != Literal::Kind::text ||
        item.items[1].kind != Literal::Kind::text)
      refuse(name, "nested fields; save them as plain ones");
    // Padding is a nameless field of type |V.
    if (item.items[0].text.empty() && item.items[1].text.starts_with("|V")) {
      std::size_t padding = 0;
      const std::string& type = item.items[1].text;
      std::from_chars(type.data() + 2, type.data() + type.size(), padding);
      if (padding > (1u << 20)) refuse(name, "the header does not parse");
      header.element_size += padding;
      continue;
    }
    NpyField field = parse_type(item.items[1].text, name);
    field.name = item.items[0].text;
    field.offset = header.element_size;
    if (!names.insert(field.name).second) refuse(name, fmt::format("two fields are named '{}'", field.name));
    header.element_size += field.size;
    header.fields.push_back(std::move(field));
  }
  if (header.fields.empty()) refuse(name, "it has no fields");
}

}  // namespace

std::size_t NpyHeader::elements() const {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

NpyHeader parse_npy_header(std::string_view bytes, const std::string& name) {
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) refuse(name, "the magic bytes are missing");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t start = byte(6) == 1 ? 10 : 12;
  const std::size_t length = byte(8) | byte(9) << 8 | (start == 12 ? byte(10) << 16 | byte(11) << 24 : 0);
  if (byte(6) < 1 || byte(6) > 3 || bytes.size() - start < length) refuse(name, "the header is cut off");
  const Literal literal = LiteralParser(bytes.substr(start, length), name).parse();
  const Literal *descr = literal.find("descr"), *order = literal.find("fortran_order"), *shape = literal.find("shape");
  if (descr == nullptr || order == nullptr || shape == nullptr || shape->kind != Literal::Kind::sequence ||
      order->kind != Literal::Kind::boolean ||
      (descr->kind != Literal::Kind::text && descr->kind != Literal::Kind::sequence))
    refuse(name, "the header lacks descr, fortran_order or shape");
  NpyHeader header;
  add_fields(*descr, name, header);
  header.fortran = order->number != 0;
  header.data = start + length;
  const std::size_t available = (bytes.size() - header.data) / header.element_size;
  std::size_t count = 1;
  for (const Literal& extent : shape->items) {
    if (extent.kind != Literal::Kind::number) refuse(name, "the shape is not made of numbers");
    if (extent.number == 0) refuse(name, "it holds no values");
    if (count > available / extent.number) refuse(name, "the file is shorter than its shape says");
    count *= extent.number;
    header.shape.push_back(extent.number);
  }
  if (count > available) refuse(name, "the file is shorter than its shape says");  // shape (): one value
  return header;
}

}  // namespace macmi::data
