#include "run/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files/whole_file.hpp"
#include "run/run_lock.hpp"

namespace macmi::run {
namespace {

namespace fs = std::filesystem;

/// A name as part of a file name: the path separators and anything unusual replaced, the extension kept.
std::string as_file_name(std::string name) {
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-')) c = '_';
  return name;
}

const FileEntry* find_entry(const std::vector<FileEntry>& entries, const std::string& name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const FileEntry& e) { return e.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

bool intact(const std::string& path, const FileEntry& entry) {
  std::error_code error;
  if (fs::file_size(path, error) != static_cast<std::uintmax_t>(entry.bytes) || error) return false;
  return fmt::format("{:016x}", content_hash(base::read_whole_file(path))) == entry.hash;
}

}  // namespace

bool is_run_file(const std::string& name) {
  return name == lock_name || name == files_name || name == training_name || name.starts_with(journal_name) ||
         name == report_name || name == std::string(report_name) + ".part" ||
         name.starts_with("result.");  // result.json, its page and evaluation, unfinished ones, too
}

StoredFile find_file(const std::string& directory, const Journal& journal, const std::string& name,
                     const std::string& depends_on) {
  const std::vector<FileEntry> entries = journal.files();
  const FileEntry* entry = find_entry(entries, name);
  if (entry == nullptr) return {};
  StoredFile found{StoredFile::State::outdated, {}, entry->note, entry->depends_on};
  if (entry->depends_on != depends_on) return found;
  found.path = directory + "/" + entry->file;
  found.state = intact(found.path, *entry) ? StoredFile::State::intact : StoredFile::State::damaged;
  return found;
}

StoredFile put_file(const std::string& directory, Journal& journal, FileEntry entry,
                    const std::function<void(const std::string& path)>& write) {
  const std::string folder = directory + "/" + files_name;
  base::make_directory(folder);
  const std::string unfinished = fmt::format("{}/part-{}", folder, as_file_name(entry.name));
  std::string path;
  try {
    write(unfinished);
    const std::string content = base::read_whole_file(unfinished);
    entry.bytes = static_cast<std::int64_t>(content.size());
    entry.hash = fmt::format("{:016x}", content_hash(content));
    entry.file = fmt::format("{}/{}-{}", files_name, entry.hash, as_file_name(entry.name));
    path = directory + "/" + entry.file;
    base::put_in_place(unfinished, path);
  } catch (...) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw;
  }
  const std::vector<FileEntry> before = journal.files();
  journal.set_file(entry);
  if (const FileEntry* old = find_entry(before, entry.name); old != nullptr && old->file != entry.file) {
    std::error_code ignored;
    fs::remove(directory + "/" + old->file, ignored);
  }
  return {StoredFile::State::intact, path, entry.note, entry.depends_on};
}

void remove_unknown_files(const std::string& directory, const std::vector<FileEntry>& known) {
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(directory + "/" + files_name, ignored)) {
    const std::string name = fmt::format("{}/{}", files_name, file.path().filename().string());
    if (std::none_of(known.begin(), known.end(), [&](const FileEntry& entry) { return entry.file == name; }))
      fs::remove(file.path(), ignored);
  }
}

}  // namespace macmi::run
