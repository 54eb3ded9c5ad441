// macmi VERB …: finds the verb, fills its options, runs it, and turns errors into messages and exit codes.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/suggest.hpp"
#include "base/vector/simd.hpp"
#include "cluster/launch.hpp"
#include "cluster/mpi_ranks.hpp"
#include "command_line.hpp"
#include "macmi/error.hpp"
#include "macmi/version.hpp"
#include "program.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

void print_overview(const std::vector<Verb>& verbs) {
  fmt::print(
      "macmi {}: finds the few features that matter for a target, be they columns, blocks of columns or series\n\n",
      version());
  fmt::print("Usage: macmi VERB [options]        macmi VERB --help shows the options and examples\n\n");
  for (const Verb& verb : verbs) fmt::print("  {:<10} {}\n", verb.name, verb.summary);
  fmt::print("\nStart here:\n  {}\n", verbs.front().examples.front());
}

/// Joins the other ranks; each does its part. Errors of rank 0 end them all in order.
void run_on_ranks(const Verb& verb, const cluster::Launch& launch) {
  const std::unique_ptr<cluster::Ranks> ranks = cluster::join_mpi(launch);
  try {
    verb.run_on_ranks(*ranks);
  } catch (...) {
    ranks->finish();
    throw;
  }
  ranks->finish();
}

int run(std::span<const std::string> words, const cluster::Launch& launch) {
  const std::vector<Verb> verbs = all_verbs();
  if (launch.rank > 0) {  // rank 0 answers for all
    const auto shared = [&](const Verb& v) { return !words.empty() && v.name == words[0] && v.run_on_ranks; };
    if (std::none_of(verbs.begin(), verbs.end(), shared)) return 0;
    if (std::freopen("/dev/null", "w", stdout) == nullptr) return 0;
  }
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_overview(verbs);
    return 0;
  }
  if (words[0] == "--version") {
    fmt::print("macmi {}\n", version());
    return 0;
  }
  const auto verb = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& v) { return v.name == words[0]; });
  if (verb == verbs.end()) {
    std::vector<std::string> names;
    for (const Verb& v : verbs) names.push_back(v.name);
    throw InputError(
        fmt::format("there is no verb '{}'{}; macmi --help lists them", words[0], base::did_you_mean(words[0], names)));
  }
  if (!fill_options(*verb, words.subspan(1))) return 0;  // --help was asked for and printed
  if (const char* simd = std::getenv("MACMI_SIMD")) base::limit_simd(simd);
  if (launch.size > 1 && verb->run_on_ranks)
    run_on_ranks(*verb, launch);
  else
    verb->run();
  return 0;
}

}  // namespace

std::vector<Verb> all_verbs() {
  return {select_verb(),   graph_verb(),     explain_verb(), report_verb(),   evaluate_verb(), runs_verb(),
          train_verb(),    map_verb(),       test_verb(),    estimate_verb(), inspect_verb(),  prepare_verb(),
          simulate_verb(), reproduce_verb(), doctor_verb(),  options_verb()};
}

int run_program(const std::vector<std::string>& words) {
  std::signal(SIGPIPE, SIG_DFL);  // `macmi … | head` ends quietly
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of writing, not the end of the process
  const cluster::Launch launch = cluster::launched_as();
  try {
    return run(words, launch);
  } catch (const Cancelled&) {
    return 130;
  } catch (const InputError& error) {
    if (launch.rank > 0) return 0;  // a launcher would end rank 0 before it has told the user
    fmt::print(stderr, "macmi: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "macmi: internal failure: {}\n", error.what());
    return 1;
  }
}

}  // namespace macmi::cli
