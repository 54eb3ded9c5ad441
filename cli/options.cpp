// macmi options: every option of every verb, from the declarations the program itself parses with.
#include <fmt/format.h>

#include <memory>

#include "verb.hpp"

namespace macmi::cli {
namespace {

void print_markdown() {
  fmt::print("# Options\n\nWritten by `make docs` from the declarations in the code; a test keeps the two equal.\n");
  for (const Verb& verb : all_verbs()) {
    fmt::print("\n## macmi {}\n\n{}.\n\n| option | default | accepts | meaning |\n|---|---|---|---|\n", verb.name,
               verb.summary);
    for (const Option& option : verb.positional)
      fmt::print("| `{}` | | {} | {} |\n", option.name, accepts_text(option), option.meaning);
    for (const Option& option : verb.options)
      fmt::print("| `--{}` | {} | {} | {} |\n", option.name, option.required ? "(required)" : value_text(option),
                 accepts_text(option), option.meaning);
  }
}

void print_plain() {
  for (const Verb& verb : all_verbs())
    for (const Option& option : verb.options)
      fmt::print("{} --{}\t{}\t{}\n", verb.name, option.name, value_text(option), option.meaning);
}

}  // namespace

Verb options_verb() {
  auto markdown = std::make_shared<bool>(false);
  return {.name = "options",
          .summary = "List every option with its default and meaning",
          .details = {},
          .positional = {},
          .options = {{.name = "markdown", .field = markdown.get(), .meaning = "As the page docs/options.md"}},
          .examples = {"macmi options", "macmi options --markdown > options.md"},
          .run = [markdown] { *markdown ? print_markdown() : print_plain(); }};
}

}  // namespace macmi::cli
