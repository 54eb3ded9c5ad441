#pragma once
#include <stdexcept>
#include <string>

namespace macmi {

/// Everything the library throws on purpose derives from Error. The library never prints and never exits.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user's input is at fault. The message names the file, column or option and says what to do (exit code 2).
class InputError : public Error {
 public:
  using Error::Error;
};

/// The caller asked to stop (exit code 130).
class Cancelled : public Error {
 public:
  Cancelled() : Error("interrupted") {}
};

}  // namespace macmi
