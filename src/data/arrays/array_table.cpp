#include "data/arrays/array_table.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/files/mapped_file.hpp"
#include "base/number_of.hpp"
#include "data/arrays/npy.hpp"
#include "data/arrays/npz.hpp"
#include "data/columns/column_builder.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

/// Where the values of one column lie: at start + row * stride.
struct Strided {
  NpyField field;
  const char* start = nullptr;
  std::size_t stride = 0;
};

class ArrayTable : public TableReader {
 public:
  explicit ArrayTable(const std::vector<DataFile>& files) {
    source_ = files.size() == 1 ? files[0].path : fmt::format("{} and {} more", files[0].path, files.size() - 1);
    for (const DataFile& file : files) {
      mapped_.push_back(std::make_unique<base::MappedFile>(file.path));
      const std::string_view bytes = mapped_.back()->bytes();
      if (file.kind == FileKind::npy) {
        add_array(bytes, file.path,
                  files.size() == 1 ? std::string() : std::filesystem::path(file.path).stem().string());
        continue;
      }
      for (const NpzMember& member : list_npz(bytes, file.path)) {
        unpacked_.push_back(std::make_unique<std::string>(unpack(member, file.path)));
        add_array(*unpacked_.back(), fmt::format("{}, array '{}'", file.path, member.name), member.name);
      }
    }
  }

  Table read(const ReadRequest& request) const override {
    Table table;
    table.source = source_;
    for (const std::size_t c : request.columns) {
      const Strided& from = strided_[c];
      ColumnBuilder builder(columns_[c].name, from.field.is_text() || from.field.kind == 'b');
      std::size_t rows = 0;
      for (std::size_t r = 0; r < rows_; ++r) {
        if (!request.keep.empty() && !request.keep[r]) continue;
        const char* at = from.start + r * from.stride;
        if (from.field.kind == 'b')
          builder.add(*at != 0 ? "true" : "false");
        else if (!from.field.is_text())
          builder.add(npy_number(from.field, at));
        else if (const std::string text = npy_text(from.field, at); text.empty())
          builder.add_missing();
        else
          builder.add(text);
        ++rows;
      }
      table.rows = rows;
      table.columns.push_back(builder.finish());
    }
    return table;
  }

 private:
  void add_array(std::string_view bytes, const std::string& where, const std::string& name) {
    const NpyHeader header = parse_npy_header(bytes, where);
    const std::vector<std::size_t>& shape = header.shape;
    if (shape.empty() || shape.size() > 3 || (!header.fields[0].name.empty() && shape.size() != 1))
      throw InputError(
          fmt::format("{}: an array of {} dimensions is not a table; give samples × columns, or samples × "
                      "features × steps",
                      where, shape.size()));
    if (columns_.empty()) rows_ = shape[0];
    if (shape[0] != rows_)
      throw InputError(fmt::format("{} has {} where the arrays before it have {}", where,
                                   base::number_of(shape[0], "sample"), rows_));
    const char* data = bytes.data() + header.data;
    // Bytes from one index to the next along each axis.
    std::vector<std::size_t> stride(shape.size(), header.element_size);
    if (header.fortran)
      for (std::size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
    else
      for (std::size_t d = shape.size() - 1; d-- > 0;) stride[d] = stride[d + 1] * shape[d + 1];

    if (shape.size() == 1) {
      for (const NpyField& field : header.fields)
        add({field.name.empty() ? (name.empty() ? "c0" : name) : field.name, {}, 0, 0},
            {field, data + field.offset, stride[0]});
      return;
    }
    for (std::size_t f = 0; f < shape[1]; ++f) {
      const std::string column =
          name.empty() ? fmt::format("{}{}", shape.size() == 2 ? 'c' : 'f', f) : fmt::format("{}_{}", name, f);
      if (shape.size() == 2) {
        add({column, {}, 0, 0}, {header.fields[0], data + f * stride[1], stride[0]});
        continue;
      }
      for (std::size_t t = 0; t < shape[2]; ++t)
        add({fmt::format("{}[{}]", column, t), column, t, 0},
            {header.fields[0], data + f * stride[1] + t * stride[2], stride[0]});
    }
  }

  void add(ColumnInfo info, Strided strided) {
    columns_.push_back(std::move(info));
    strided_.push_back(std::move(strided));
  }

  std::vector<std::unique_ptr<base::MappedFile>> mapped_;
  std::vector<std::unique_ptr<std::string>> unpacked_;
  std::vector<Strided> strided_;
  std::size_t rows_ = 0;
};

}  // namespace

std::unique_ptr<TableReader> open_arrays(const std::vector<DataFile>& files) {
  return std::make_unique<ArrayTable>(files);
}

}  // namespace macmi::data
