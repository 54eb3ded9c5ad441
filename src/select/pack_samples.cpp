// Prepared samples as one block of bytes: whole numbers of 8 bytes, names and columns filled up to multiples of 8.
#include <cstring>
#include <span>
#include <type_traits>

#include "macmi/error.hpp"
#include "select/prepared_samples.hpp"

namespace macmi::select {
namespace {

class Packer {
 public:
  void number(std::uint64_t value) { raw(&value, sizeof value); }
  void text(const std::string& value) {
    number(value.size());
    raw(value.data(), value.size());
    fill();
  }
  template <class Column>
  void named(const Column& column, std::size_t n) {
    text(column.name);
    values(column, n);
  }
  template <class Values>
  void values(const Values& list, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = list[i];
      raw(&value, sizeof value);
    }
    fill();
  }
  void feature(const PreparedFeature& f, std::size_t n) {
    text(f.content);
    number(f.constant);
    text(std::string(f.complete.begin(), f.complete.end()));
    number(f.variable.numeric().size());
    for (const NumericColumn& values : f.variable.numeric()) named(values, n);
    number(f.variable.categorical().size());
    for (const CategoricalColumn& codes : f.variable.categorical()) named(codes, n);
  }
  void scores(const SurrogateScores* scores) {
    number(scores != nullptr);
    if (scores == nullptr) return;
    const maps::SurrogateSamples& s = scores->samples();
    for (const std::size_t size :
         {s.samples, s.width, s.predictions, static_cast<std::size_t>(s.activation), s.most_kept})
      number(size);
    list(s.first_column);
    list(s.place);
    number(s.models.size());
    for (const maps::SurrogateSamples::Model& model : s.models) list(model.parameters), list(model.marginal);
    list(s.model);
    list(s.maps);
  }
  template <class T>
  void list(const std::vector<T>& values) {
    number(values.size());
    raw(values.data(), values.size() * sizeof(T));
    fill();
  }
  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  void fill() { bytes_.resize((bytes_.size() + 7) / 8 * 8); }
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    return {take(size), size};
  }
  template <class Column>
  void columns(Variable& variable, std::size_t n) {
    for (std::uint64_t left = number(); left > 0; --left) {
      Column column;
      column.name = text();
      using Value = std::remove_pointer_t<decltype(column.data)>;
      column.data = reinterpret_cast<Value*>(take(n * sizeof(Value)));
      variable.add(std::move(column), n);
    }
  }
  template <class T>
  std::vector<T> list() {
    const std::uint64_t count = number();
    const auto* begin = reinterpret_cast<const T*>(take(count * sizeof(T)));
    return {begin, begin + count};
  }
  std::shared_ptr<const SurrogateScores> scores() {
    if (number() == 0) return nullptr;
    maps::SurrogateSamples s;
    s.samples = number(), s.width = number(), s.predictions = number();
    s.activation = static_cast<maps::Activation>(number());
    s.most_kept = number();
    s.first_column = list<std::size_t>();
    s.place = list<std::int64_t>();
    for (std::uint64_t left = number(); left > 0; --left) {
      maps::SurrogateSamples::Model& model = s.models.emplace_back();
      model.parameters = list<float>();
      model.marginal = list<float>();
    }
    s.model = list<std::int32_t>();
    s.maps = list<float>();
    return std::make_shared<const SurrogateScores>(std::move(s));
  }
  PreparedFeature feature(std::size_t n) {
    PreparedFeature f;
    f.content = text();
    f.constant = number() != 0;
    for (const char complete : text()) f.complete.push_back(complete != 0);
    columns<NumericColumn>(f.variable, n);
    columns<CategoricalColumn>(f.variable, n);
    return f;
  }

 private:
  const char* take(std::size_t size) {
    const std::size_t filled = (size + 7) / 8 * 8;
    if (filled > bytes_.size()) throw Error("packed samples are cut off");
    const char* data = bytes_.data();
    bytes_.remove_prefix(filled);
    return data;
  }
  std::string_view bytes_;
};

}  // namespace

std::string pack(const PreparedSamples& prepared) {
  Packer packer;
  packer.number(prepared.samples);
  packer.number(prepared.mapped);
  packer.list(prepared.folds);
  packer.list(prepared.units);
  packer.number(prepared.one_series);
  packer.feature(prepared.target, prepared.samples);
  packer.number(prepared.features.size());
  for (std::size_t f = 0; f < prepared.features.size(); ++f) {
    packer.text(prepared.names[f]);
    packer.feature(prepared.features[f], prepared.samples);
  }
  packer.scores(prepared.scores.get());
  return packer.take();
}

PreparedSamples unpack(std::string_view packed) {
  Unpacker unpacker(packed);
  PreparedSamples prepared;
  prepared.samples = unpacker.number();
  prepared.mapped = unpacker.number() != 0;
  prepared.folds = unpacker.list<std::int32_t>();
  prepared.units = unpacker.list<std::int32_t>();
  prepared.one_series = unpacker.number() != 0;
  prepared.target = unpacker.feature(prepared.samples);
  for (std::uint64_t left = unpacker.number(); left > 0; --left) {
    prepared.names.push_back(unpacker.text());
    prepared.features.push_back(unpacker.feature(prepared.samples));
  }
  prepared.scores = unpacker.scores();
  return prepared;
}

}  // namespace macmi::select
