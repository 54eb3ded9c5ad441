#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <variant>

#include "base/suggest.hpp"
#include "macmi/error.hpp"

namespace macmi::cli {
namespace {

std::string value_name(const Option& option) {
  if (!option.value_name.empty()) return option.value_name;
  if (const auto* choice = std::get_if<Choice>(&option.field)) return fmt::format("{}", fmt::join(choice->words, "|"));
  if (std::holds_alternative<std::vector<std::string>*>(option.field)) return "A[,B…]";
  if (std::holds_alternative<std::string*>(option.field)) return "TEXT";
  return "N";
}

CLI::Option* add(CLI::App& app, const Option& option, const std::string& flag) {
  if (auto* const* field = std::get_if<bool*>(&option.field)) return app.add_flag(flag, **field, option.meaning);
  const auto set = [option](const CLI::results_t& values) {
    set_from_text(option, fmt::format("{}", fmt::join(values, ",")));
    return true;
  };
  CLI::Option* added = app.add_option(flag, set, option.meaning)->type_name(value_name(option));
  if (std::holds_alternative<std::vector<std::string>*>(option.field)) added->expected(1, -1);
  if (const std::string value = value_text(option); !value.empty()) added->default_str(value);
  return added->required(option.required);
}

std::string footer(const Verb& verb) {
  std::string text;
  if (verb.run_on_ranks)
    text +=
        fmt::format("\nOn several machines, to the same bits: mpirun -n N macmi {} … (docs/cluster.md)\n", verb.name);
  text += "\nExamples:\n";
  for (const std::string& example : verb.examples) text += "  " + example + "\n";
  return text;
}

/// CLI11's own messages, with the nearest option named.
[[noreturn]] void refuse(const Verb& verb, const CLI::App& app, const CLI::ParseError& error) {
  if (!app.remaining().empty()) {
    std::string hint;
    std::vector<std::string> names;
    for (const Option& option : verb.options) names.push_back("--" + option.name);
    for (const std::string& word : app.remaining()) {
      hint = base::did_you_mean(word.substr(0, word.find('=')), names);
      if (!hint.empty()) break;
      const bool reads_files = std::find(names.begin(), names.end(), "--data") != names.end();
      if (reads_files && std::filesystem::exists(word)) hint = fmt::format("; files go with --data {}", word);
    }
    throw InputError(fmt::format("{}: not understood: {}{}; macmi {} --help lists the options", verb.name,
                                 fmt::join(app.remaining(), " "), hint, verb.name));
  }
  throw InputError(fmt::format("{}: {}; macmi {} --help lists the options", verb.name, error.what(), verb.name));
}

/// Quoted where a shell would take it apart.
std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./,:=+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string command_text(const std::string& verb, const std::vector<Option>& given,
                         const std::vector<Option>& defaults) {
  std::string text = "macmi " + verb;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string value = value_text(given[i]);
    if (value == value_text(defaults[i])) continue;
    text += " --" + given[i].name;
    if (!std::holds_alternative<bool*>(given[i].field)) text += " " + shell_word(value);
  }
  return text;
}

bool fill_options(const Verb& verb, std::span<const std::string> words) {
  CLI::App app(verb.details.empty() ? verb.summary : verb.details, "macmi " + verb.name);
  app.set_config("--config", "", "Read options from this TOML or INI file; the command line wins");
  app.get_formatter()->column_width(34);
  for (const Option& option : verb.positional)
    add(app, option, option.name)->allow_extra_args(std::holds_alternative<std::vector<std::string>*>(option.field));
  for (const Option& option : verb.options) add(app, option, "--" + option.name);
  app.footer(footer(verb));
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return false;
  } catch (const CLI::ParseError& error) {
    refuse(verb, app, error);
  }
  return true;
}

}  // namespace macmi::cli
