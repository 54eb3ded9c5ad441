// Any text as the words of a command line or as a --config file: options are set, or InputError says why not. A value
// that was accepted can be written out and read back.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "command_line.hpp"
#include "macmi/data_options.hpp"
#include "macmi/error.hpp"

namespace {

/// The data options, and one option of every kind they do not have.
struct Arguments {
  macmi::DataOptions data;
  bool flag = false;
  double fraction = 0.5;
  std::int64_t offset = -1;
  macmi::NeighbourCount k = 5;
};

macmi::cli::Verb verb_of(Arguments& arguments) {
  macmi::cli::Verb verb{.name = "fuzz",
                        .summary = "",
                        .details = "",
                        .positional = {},
                        .options = declare(arguments.data),
                        .examples = {},
                        .run = {}};
  verb.options.push_back({.name = "flag", .field = &arguments.flag, .meaning = ""});
  verb.options.push_back({.name = "fraction", .field = &arguments.fraction, .meaning = "", .low = 0, .high = 1});
  verb.options.push_back({.name = "offset", .field = &arguments.offset, .meaning = "", .low = -10});
  verb.options.push_back({.name = "k", .field = &arguments.k, .meaning = ""});
  return verb;
}

void expect_round_trip(const macmi::cli::Verb& verb) {
  for (const macmi::Option& option : verb.options) {
    const std::string text = value_text(option);
    set_from_text(option, text);
    if (value_text(option) != text) std::abort();
  }
}

/// Lines as words: '\n' cannot be confused with anything inside a word.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size() && words.size() < 64;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Arguments arguments;
  const macmi::cli::Verb verb = verb_of(arguments);
  std::vector<std::string> words;
  static const int file = ::memfd_create("config", 0);
  if (data[0] % 2 == 0) {
    if (::ftruncate(file, 0) != 0 || ::pwrite(file, text.data(), text.size(), 0) < 0) std::abort();
    words = {"--config", "/proc/self/fd/" + std::to_string(file)};
  } else {
    words = words_of(text);
    for (const std::string& word : words)
      if (word.find("config") != std::string::npos) return 0;  // no files of the machine
  }
  try {
    if (fill_options(verb, words)) expect_round_trip(verb);
  } catch (const macmi::InputError&) {
  }
  return 0;
}
