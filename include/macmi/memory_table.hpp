#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "macmi/dataset.hpp"

namespace macmi {

/// One column of samples in memory that somebody else owns: numbers (NaN where missing), or labels by their code.
struct MemoryColumn {
  std::string name;
  const double* numbers = nullptr;      ///< or
  const std::int32_t* codes = nullptr;  ///< code c stands for labels[c]; negative where missing
  std::ptrdiff_t stride = 1;            ///< elements from one sample to the next
  std::vector<std::string> labels = {};
  std::string feature = {};  ///< of a series: the feature whose `step` this is; empty: the column stands for itself
  std::size_t step = 0;
};

struct MemoryTable {
  std::string source;  ///< for messages
  std::size_t rows = 0;
  std::vector<MemoryColumn> columns;
};

/// The data set that read_dataset would make of a file with these columns, bit for bit. The samples are copied once.
/// `options.data` and `options.query` are not looked at. Throws InputError.
Dataset make_dataset(const MemoryTable& table, const DataOptions& options);

}  // namespace macmi
