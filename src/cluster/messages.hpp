#pragma once
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "macmi/ci_test.hpp"

namespace macmi::cluster {

/// The subject of a message: its first byte.
enum class MessageKind : char {
  samples = 'S',  ///< to all: what follows is shared by all ranks together
  task = 'T',     ///< to a rank that is free: a test
  work = 'W',     ///< to a rank that is free: anything else
  news = 'N',     ///< to the coordinator: how the work goes
  answer = 'A',   ///< to the coordinator
  failure = 'F',  ///< to the coordinator: the test threw
  alive = 'L',    ///< nothing but a sign of life
  end = 'E',      ///< to all: no more work
};
MessageKind kind_of(std::string_view message);
std::string message_of(MessageKind kind);

/// Announces samples that are about to be shared.
struct SamplesNotice {
  std::uint64_t size = 0;      ///< bytes
  std::uint64_t number = 0;    ///< of the samples, where a command has tests of more than one kind
  std::uint64_t for_work = 0;  ///< no samples of tests, but what work is about: a training's job
};
std::string encode(const SamplesNotice& notice);
SamplesNotice decode_samples(std::string_view message);

/// One test to be made.
struct TestTask {
  std::uint64_t feature = 0;
  std::vector<std::uint64_t> given;
  std::optional<CiResult> earlier;  ///< see TargetCiTest::test_again
};
std::string encode(const TestTask& task);
TestTask decode_task(std::string_view message);

struct TestAnswer {
  CiResult result;
  double seconds = 0;  ///< it took
};
std::string encode(const TestAnswer& answer);
TestAnswer decode_answer(std::string_view message);

/// A message of this kind with any bytes, and these bytes.
std::string message_of(MessageKind kind, std::string_view bytes);
std::string_view body_of(std::string_view message);

/// Texts one after the other, of any bytes.
std::string join_texts(const std::vector<std::string>& texts);
std::vector<std::string> split_texts(std::string_view joined);

/// An exception, thrown again by the rank that reads it.
std::string encode_failure(const std::exception_ptr& error);
[[noreturn]] void rethrow_failure(std::string_view message);

}  // namespace macmi::cluster
