// macmi-maps JOB FOLDER PROCESSES: trains and applies feature maps. Run by macmi; says its progress on standard output.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

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

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--version") {
    std::printf("%s\n", macmi::version());
    return 0;
  }
  if (argc != 4) {
    std::fprintf(stderr, "macmi-maps %s is run by macmi (train, map, select); there is nothing to do with it by hand\n",
                 macmi::version());
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    const macmi::MappedFile file(argv[1]);
    const macmi::ArrayFile job = macmi::ArrayFile::parse(file.bytes(), argv[1]);
    macmi::run_job(job, {argv[2], static_cast<std::size_t>(std::strtoul(argv[3], nullptr, 10)), say});
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
