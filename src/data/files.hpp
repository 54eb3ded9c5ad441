#pragma once
#include <string>
#include <vector>

#include "data/columns/number_text.hpp"

namespace macmi::data {

enum class FileKind { csv, parquet, json, npy, npz };

struct DataFile {
  std::string path;
  FileKind kind = FileKind::csv;
  std::vector<std::string> missing = missing_texts();  ///< fields that stand for "no value" in CSV
};

/// The files that paths and globs stand for, in order, globs sorted; each checked to be readable and not empty. The
/// kind comes from the first bytes, and from the ending only where these do not tell. Throws InputError.
std::vector<DataFile> expand_files(const std::vector<std::string>& patterns);

/// The first `limit` bytes, decompressed when gzipped. `whole` says that the file ends there.
struct FileHead {
  std::string bytes;
  bool whole = false;
};
FileHead read_head(const std::string& path, std::size_t limit);

}  // namespace macmi::data
