#pragma once
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "macmi/ci_test.hpp"

namespace macmi {

/// What a message is about: its first byte.
enum class MessageKind : char {
  samples = 'S',  ///< to all: what follows is shared by all ranks together
  task = 'T',     ///< to a rank that is free
  answer = 'A',   ///< to the coordinator
  failure = 'F',  ///< to the coordinator: the test threw
  alive = 'L',    ///< nothing but a sign of life
  end = 'E',      ///< to all: no more work
};
MessageKind kind_of(std::string_view message);
std::string message_of(MessageKind kind);

/// What the ranks should know of the samples that are about to be shared.
struct SamplesNotice {
  std::uint64_t size = 0;  ///< bytes
  std::uint64_t mapped = 0, categorical_target = 0;
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

/// An exception, thrown again by the rank that reads it.
std::string encode_failure(const std::exception_ptr& error);
[[noreturn]] void rethrow_failure(std::string_view message);

}  // namespace macmi
