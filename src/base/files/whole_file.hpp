#pragma once
#include <string>
#include <string_view>

namespace macmi::base {

/// Files that are there as a whole or not at all, also after a power cut. Throw InputError naming the path and the
/// system's reason.
void write_whole_file(const std::string& path, std::string_view content);
/// Puts a file that is finished into the place of another.
void put_in_place(const std::string& finished, const std::string& path);
std::string read_whole_file(const std::string& path);

/// Makes a directory and those above it.
void make_directory(const std::string& path);

}  // namespace macmi::base
