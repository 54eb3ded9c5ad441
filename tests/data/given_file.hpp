#pragma once
#include <string>
#include <vector>

#include "data/scratch_files.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"

namespace macmi::data {

/// A CSV file with these contents, and how it is read.
struct GivenFile {
  ScratchDirectory scratch;
  DataOptions options;
  explicit GivenFile(const std::string& csv, std::vector<std::string> target = {"y"}) {
    options.data = {scratch.write("data.csv", csv)};
    options.target = std::move(target);
  }
  Dataset read() const { return read_dataset(options); }
  std::string refusal() const {
    try {
      read();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

}  // namespace macmi::data
