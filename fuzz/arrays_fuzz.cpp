// Any bytes as a .npy file, a .npz archive or the head of a CSV file: an answer or InputError, nothing else.
#include <cstdint>
#include <string_view>

#include "data/arrays/npy.hpp"
#include "data/arrays/npz.hpp"
#include "data/columns/number_text.hpp"
#include "data/tables/csv_dialect.hpp"
#include "macmi/error.hpp"

namespace {

void read_array(std::string_view bytes) {
  const macmi::data::NpyHeader header = macmi::data::parse_npy_header(bytes, "fuzz");
  for (const macmi::data::NpyField& field : header.fields)
    if (field.is_text()) macmi::data::npy_text(field, bytes.data() + header.data + field.offset);
  macmi::data::parse_npy(bytes, "fuzz");
}

void read_text(std::string_view text) {
  for (const char delimiter : {',', ';', '\t'})
    for (const auto& record : macmi::data::split_csv(text, delimiter, true, 100))
      for (const std::string& field : record) {
        macmi::data::parse_number_text(field, delimiter == ';' ? ',' : '.');
        macmi::data::parse_time_text(field);
      }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    if (bytes.starts_with("PK")) {
      for (const macmi::data::NpzMember& member : macmi::data::list_npz(bytes, "fuzz"))
        if (member.size < (1u << 24)) read_array(macmi::data::unpack(member, "fuzz"));
    } else if (bytes.starts_with("\x93")) {
      read_array(bytes);
    } else {
      read_text(bytes);
    }
  } catch (const macmi::InputError&) {
  }
  return 0;
}
