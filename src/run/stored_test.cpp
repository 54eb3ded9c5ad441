#include "run/stored_test.hpp"

#include <bit>
#include <cstring>

#include "base/random.hpp"
#include "citest/null/null_distribution.hpp"

namespace macmi::run {
namespace {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

constexpr std::string_view mark = "macmi\x01\x03T";  // not a text that a name would hold
constexpr std::size_t head = mark.size() + sizeof(std::uint32_t), tail = sizeof(std::uint64_t);

/// Appends fields one after the other.
class Writer {
 public:
  void put(std::uint64_t value) { raw(&value, sizeof value); }
  void put(double value) { raw(&value, sizeof value); }
  void put(bool value) { put(std::uint64_t{value}); }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  void put(const std::vector<double>& values) {
    put(values.size());
    raw(values.data(), values.size() * sizeof(double));
  }
  void put(const CiScale& s) {
    put(s.k), put(s.statistic), put(s.effect), put(s.null_sd), put(s.z_score), put(s.directions);
  }
  void put(const NullTrace::Look& look) { put(look.drawn), put(look.exceedances); }
  template <class T>
  void put(const std::vector<T>& items) {
    put(items.size());
    for (const T& item : items) put(item);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

/// Takes them off again; once the bytes have run out, everything is empty and `whole` false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  void get(std::uint64_t& value) { raw(&value, sizeof value); }
  void get(double& value) { raw(&value, sizeof value); }
  void get(bool& value) {
    std::uint64_t word = 0;
    get(word);
    value = word != 0;
  }
  void get(std::string& text) {
    text.resize(count(1));
    raw(text.data(), text.size());
  }
  void get(std::vector<double>& values) {
    values.resize(count(sizeof(double)));
    raw(values.data(), values.size() * sizeof(double));
  }
  void get(CiScale& s) { get(s.k), get(s.statistic), get(s.effect), get(s.null_sd), get(s.z_score), get(s.directions); }
  void get(NullTrace::Look& look) { get(look.drawn), get(look.exceedances); }
  template <class T>
  void get(std::vector<T>& items) {
    items.resize(count(sizeof(std::uint64_t)));
    for (T& item : items) get(item);
  }
  bool whole() const { return whole_ && bytes_.empty(); }

 private:
  /// Of items that take at least `size` bytes each.
  std::size_t count(std::size_t size) {
    std::uint64_t value = 0;
    get(value);
    if (value <= bytes_.size() / size) return value;
    whole_ = false;
    return 0;
  }
  void raw(void* data, std::size_t size) {
    whole_ = whole_ && size <= bytes_.size();
    if (!whole_) return;
    if (size > 0) std::memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  std::string_view bytes_;
  bool whole_ = true;
};

/// All fields of a record in their order, for writing and for reading.
template <class Visit, class Test>
void each_field(Test& t, Visit visit) {
  visit(t.context), visit(t.feature), visit(t.given), visit(t.seconds);
  auto& r = t.result;
  visit(r.statistic), visit(r.effect), visit(r.p_value), visit(r.permutations), visit(r.exceedances);
  visit(r.null_mean), visit(r.null_sd), visit(r.z_score), visit(r.n), visit(r.left_out), visit(r.k);
  visit(r.rule), visit(r.stopped), visit(r.permuted), visit(r.scales), visit(r.notes);
  visit(r.null.looks), visit(r.null.sums), visit(r.null.squares), visit(r.null.centre), visit(r.null.spread),
      visit(r.null.bins), visit(r.null.observed_score), visit(r.null.score_moments);
  visit(r.tail_p), visit(r.undecidable), visit(r.judged_by);
}

bool consistent(const CiResult& r) {
  const std::size_t sums = r.null.looks.size() * r.scales.size(), scales = r.null.looks.empty() ? 0 : r.scales.size();
  return r.null.sums.size() == sums && r.null.squares.size() == sums && r.null.centre.size() == scales &&
         r.null.spread.size() == scales && r.null.bins.size() == sums * citest::histogram_bins &&
         r.null.score_moments.size() == 3 * r.null.looks.size();
}

/// The length that a record beginning here gives itself; 0 when there is none.
std::size_t record_length(std::string_view bytes) {
  if (bytes.size() < head + tail || !bytes.starts_with(mark)) return 0;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + mark.size(), sizeof length);
  return length >= head + tail && length <= bytes.size() ? length : 0;
}

}  // namespace

std::uint64_t content_hash(std::string_view bytes) {
  base::StreamKey key = base::StreamKey(0x68617368).with(bytes.size());
  for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    key = key.with(word);
  }
  std::uint64_t rest = 0;
  if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
  return key.with(rest).value();
}

std::string encode(const StoredTest& test) {
  Writer fields;
  each_field(test, [&](const auto& field) { fields.put(field); });
  const std::string content = fields.take();
  const auto length = static_cast<std::uint32_t>(head + content.size() + tail);
  const std::uint64_t checksum = content_hash(content);
  std::string bytes(mark);
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += content;
  bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return bytes;
}

std::optional<StoredTest> decode(std::string_view bytes) {
  if (record_length(bytes) != bytes.size() || bytes.empty()) return std::nullopt;
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + bytes.size() - tail, sizeof checksum);
  const std::string_view content = bytes.substr(head, bytes.size() - head - tail);
  if (content_hash(content) != checksum) return std::nullopt;
  StoredTest test;
  Reader fields(content);
  each_field(test, [&](auto& field) { fields.get(field); });
  if (!fields.whole() || !consistent(test.result)) return std::nullopt;
  test.result.conditioned = !test.given.empty();
  return test;
}

std::vector<StoredTest> find_records(std::string_view bytes) {
  std::vector<StoredTest> found;
  for (std::size_t at = bytes.find(mark); at != std::string_view::npos; at = bytes.find(mark, at + 1)) {
    const std::size_t length = record_length(bytes.substr(at));
    if (length == 0) continue;
    if (std::optional<StoredTest> test = decode(bytes.substr(at, length))) found.push_back(*std::move(test));
  }
  return found;
}

}  // namespace macmi::run
