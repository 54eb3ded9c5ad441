// Prepared samples as one block of bytes: whole numbers of 8 bytes, names and columns filled up to multiples of 8.
#include <cstring>
#include <span>
#include <type_traits>

#include "macmi/error.hpp"
#include "select/dataset_test.hpp"
#include "select/packed_test.hpp"
#include "select/prepared_samples.hpp"

namespace macmi {
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
  std::vector<std::int32_t> folds() {
    const std::uint64_t count = number();
    if (count == 0) return {};
    const auto* begin = reinterpret_cast<const std::int32_t*>(take(count * sizeof(std::int32_t)));
    return {begin, begin + count};
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
  packer.number(prepared.folds.size());
  packer.values(std::span(prepared.folds), prepared.folds.size());
  packer.feature(prepared.target, prepared.samples);
  packer.number(prepared.features.size());
  for (std::size_t f = 0; f < prepared.features.size(); ++f) {
    packer.text(prepared.names[f]);
    packer.feature(prepared.features[f], prepared.samples);
  }
  return packer.take();
}

PreparedSamples unpack(std::string_view packed) {
  Unpacker unpacker(packed);
  PreparedSamples prepared;
  prepared.samples = unpacker.number();
  prepared.folds = unpacker.folds();
  prepared.target = unpacker.feature(prepared.samples);
  for (std::uint64_t left = unpacker.number(); left > 0; --left) {
    prepared.names.push_back(unpacker.text());
    prepared.features.push_back(unpacker.feature(prepared.samples));
  }
  return prepared;
}

std::string pack_samples(const TargetCiTest& test) {
  return pack(dynamic_cast<const DatasetTest&>(test).prepared());
}

}  // namespace macmi
