#include "run/ledger.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "base/files/whole_file.hpp"
#include "macmi/error.hpp"
#include "run/run_files.hpp"

namespace macmi::run {
namespace {

constexpr const char* ledger_name = "measurements.sqlite";

const std::string& made(const std::string& directory) {
  base::make_directory(directory);
  return directory;
}

}  // namespace

Ledger::Ledger(const std::string& directory)
    : directory_(made(directory)), lock_(directory), journal_(directory, ledger_name) {}

std::string Ledger::value(const std::string& name, const std::function<std::string()>& measure) {
  return journal_.finished_or(name, measure);
}

double Ledger::number(const std::string& name, const std::function<double()>& measure) {
  const std::string text = value(name, [&] { return fmt::format("{}", measure()); });
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

FinishedWork Ledger::work() {
  return {[this](const std::string& name, const auto& measure) { return value(name, measure); },
          directory_ + "/" + training_name};
}

void Ledger::remove() {
  std::error_code none;
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(fmt::format("{}/{}{}", directory_, ledger_name, suffix), none);
  for (const char* name : {training_name, lock_name}) std::filesystem::remove_all(directory_ + "/" + name, none);
  std::filesystem::remove(directory_, none);
}

Watch::Watch(ProgressCallback progress, std::string unit, std::size_t expected) : progress_(std::move(progress)) {
  now_.unit = std::move(unit);
  now_.expected = expected;
}

void Watch::begin(const std::string& stage, const std::string& current) {
  {
    const std::lock_guard lock(mutex_);
    now_.stage = stage;
    now_.current = current;
  }
  if (!keep_going()) throw Cancelled();
}

void Watch::done(bool stored) {
  {
    const std::lock_guard lock(mutex_);
    ++now_.done;
    now_.stored += stored;
    now_.expected = std::max(now_.expected, now_.done);
  }
  if (!keep_going()) throw Cancelled();
}

bool Watch::keep_going() {
  const std::lock_guard lock(mutex_);
  stopped_ = stopped_ || (progress_ && !progress_(now_));
  return !stopped_;
}

}  // namespace macmi::run
