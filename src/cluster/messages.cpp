#include "cluster/messages.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "macmi/error.hpp"
#include "run/stored_test.hpp"

namespace macmi::cluster {
namespace {

template <class T>
void put(std::string& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
void put(std::string& bytes, const std::vector<T>& values) {
  put(bytes, std::uint64_t{values.size()});
  for (const T& value : values) put(bytes, value);
}

/// Takes values off the front. Ranks run the same program: bytes that do not fit are a fault of the network or of
/// macmi.
class Fields {
 public:
  explicit Fields(std::string_view message) : bytes_(message.substr(1)) {}
  template <class T>
  void get(T& value) {
    if (bytes_.size() < sizeof value) throw Error("a message between ranks is cut off");
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
  }
  template <class T>
  void get(std::vector<T>& values) {
    std::uint64_t count = 0;
    get(count);
    if (count > bytes_.size() / sizeof(T)) throw Error("a message between ranks is cut off");
    values.resize(count);
    for (T& value : values) get(value);
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

/// The record of the journal, and what the journal leaves out because it follows from the rest.
void put_result(std::string& bytes, const CiResult& result) {
  put(bytes, result.null_histogram.low);
  put(bytes, result.null_histogram.high);
  put(bytes, result.null_histogram.counts);
  const std::vector<std::string> given(result.conditioned ? 1 : 0);  // all that a result tells of it
  bytes += encode(run::StoredTest{0, {}, given, 0, result});
}

CiResult get_result(Fields& fields) {
  NullHistogram histogram;
  fields.get(histogram.low);
  fields.get(histogram.high);
  fields.get(histogram.counts);
  std::optional<run::StoredTest> record = run::decode(fields.rest());
  if (!record) throw Error("a message between ranks is damaged");
  record->result.null_histogram = std::move(histogram);
  return std::move(record->result);
}

}  // namespace

MessageKind kind_of(std::string_view message) {
  if (message.empty()) throw Error("a message between ranks is empty");
  return static_cast<MessageKind>(message.front());
}

std::string message_of(MessageKind kind) {
  return std::string(1, static_cast<char>(kind));
}

std::string message_of(MessageKind kind, std::string_view bytes) {
  return message_of(kind).append(bytes);
}

std::string_view body_of(std::string_view message) {
  return message.substr(1);
}

std::string join_texts(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) {
    put(joined, std::uint64_t{text.size()});
    joined += text;
  }
  return joined;
}

std::vector<std::string> split_texts(std::string_view joined) {
  std::vector<std::string> texts;
  while (!joined.empty()) {
    std::uint64_t size = 0;
    if (joined.size() < sizeof size) throw Error("a message between ranks is cut off");
    std::memcpy(&size, joined.data(), sizeof size);
    joined.remove_prefix(sizeof size);
    if (size > joined.size()) throw Error("a message between ranks is cut off");
    texts.emplace_back(joined.substr(0, size));
    joined.remove_prefix(size);
  }
  return texts;
}

std::string encode(const SamplesNotice& notice) {
  std::string bytes = message_of(MessageKind::samples);
  put(bytes, notice);
  return bytes;
}

SamplesNotice decode_samples(std::string_view message) {
  SamplesNotice notice;
  Fields(message).get(notice);
  return notice;
}

std::string encode(const TestTask& task) {
  std::string bytes = message_of(MessageKind::task);
  put(bytes, task.feature);
  put(bytes, task.given);
  if (task.earlier) put_result(bytes, *task.earlier);
  return bytes;
}

TestTask decode_task(std::string_view message) {
  Fields fields(message);
  TestTask task;
  fields.get(task.feature);
  fields.get(task.given);
  if (!fields.rest().empty()) task.earlier = get_result(fields);
  return task;
}

std::string encode(const TestAnswer& answer) {
  std::string bytes = message_of(MessageKind::answer);
  put(bytes, answer.seconds);
  put_result(bytes, answer.result);
  return bytes;
}

TestAnswer decode_answer(std::string_view message) {
  Fields fields(message);
  TestAnswer answer;
  fields.get(answer.seconds);
  answer.result = get_result(fields);
  return answer;
}

std::string encode_failure(const std::exception_ptr& error) {
  const auto message = [](char type, const char* text) { return message_of(MessageKind::failure) + type + text; };
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled& e) {
    return message('c', e.what());
  } catch (const InputError& e) {
    return message('i', e.what());
  } catch (const std::exception& e) {
    return message('e', e.what());
  }
}

void rethrow_failure(std::string_view message) {
  const std::string text(message.substr(std::min<std::size_t>(2, message.size())));
  const char type = message.size() > 1 ? message[1] : 'e';
  if (type == 'c') throw Cancelled();
  if (type == 'i') throw InputError(text);
  throw Error(text);
}

}  // namespace macmi::cluster
