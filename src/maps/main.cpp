// macmi-maps JOB FOLDER PROCESSES: trains and applies feature maps. Run by macmi; says its progress on standard output.
// macmi-maps JOB FOLDER team: leaves the trainings to others: says "train TASK" for each of a round, "wait", and goes on
// when a line comes from standard input. macmi-maps JOB FOLDER only TASK: makes one of them.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "data/mapped_file.hpp"
#include "macmi/error.hpp"
#include "macmi/version.hpp"
#include "maps/job.hpp"

namespace {

/// One write per line: lines of several processes do not mix.
void say(const std::string& line) {
  const std::string text = line + "\n";
  if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) std::_Exit(1);  // nobody listens any more
}

void train_elsewhere(const std::vector<macmi::TrainingTask>& tasks) {
  for (const macmi::TrainingTask& task : tasks) say("train " + macmi::text_of(task));
  say("wait");
  std::string answer;
  if (!std::getline(std::cin, answer)) std::_Exit(1);  // whoever ran us has ended
}

macmi::JobContext context_of(const std::vector<std::string>& words) {
  macmi::JobContext context{words[1], 1, say};
  if (words[2] == "team") context.train_elsewhere = train_elsewhere;
  else if (words[2] == "only") context.only = macmi::training_task_of(words[3]);
  else context.processes = std::stoul(words[2]);
  return context;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--version") {
    std::printf("%s\n", macmi::version());
    return 0;
  }
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != (words.size() > 2 && words[2] == "only" ? 4 : 3)) {
    std::fprintf(stderr, "macmi-maps %s is run by macmi (train, map, select); there is nothing to do with it by hand\n",
                 macmi::version());
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    const macmi::MappedFile file(argv[1]);
    const macmi::ArrayFile job = macmi::ArrayFile::parse(file.bytes(), argv[1]);
    macmi::run_job(job, context_of(words));
    say("done");
    return 0;
  } catch (const macmi::InputError& error) {
    say(std::string("refused ") + error.what());
    return 2;
  } catch (const std::exception& error) {
    say(std::string("failed ") + error.what());
    return 1;
  }
}
