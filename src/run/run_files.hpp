#pragma once
#include <functional>
#include <string>
#include <vector>

#include "macmi/run.hpp"
#include "run/journal.hpp"

namespace macmi::run {

inline constexpr const char* result_name = "result.json";
inline constexpr const char* report_name = "report.html";
inline constexpr const char* files_name = "files";
inline constexpr const char* training_name = "training";  ///< checkpoints and results of learning

/// A name that macmi gives to something in a run directory.
bool is_run_file(const std::string& name);

/// The stored file of this name, checked byte by byte against its hash.
StoredFile find_file(const std::string& directory, const Journal& journal, const std::string& name,
                     const std::string& depends_on);
/// Stores what `write` writes; `entry` says under what name and what it depends on. The file is named by its content,
/// so that the old one is there, and the journal right about it, until the new one takes its place in the journal.
StoredFile put_file(const std::string& directory, Journal& journal, FileEntry entry,
                    const std::function<void(const std::string& path)>& write);
/// Removes what the journal does not know: left by a process that was killed while it wrote.
void remove_unknown_files(const std::string& directory, const std::vector<FileEntry>& known);

}  // namespace macmi::run
