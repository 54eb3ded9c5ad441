#include "program.hpp"

int main(int argc, char** argv) {
  return macmi::cli::run_program(std::vector<std::string>(argv + 1, argv + argc));
}
