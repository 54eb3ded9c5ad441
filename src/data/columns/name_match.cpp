#include "data/columns/name_match.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "macmi/error.hpp"

namespace macmi::data {

bool name_matches(const std::string& pattern, const std::string& name) {
  return pattern == name || ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

void refuse_unknown(const std::string& source, const std::string& what, const std::string& name,
                    const std::vector<std::string>& known) {
  std::string hint = base::name_hint(name, known);
  const auto longer =
      std::find_if(known.begin(), known.end(), [&](const std::string& k) { return k.starts_with(name + ","); });
  if (longer != known.end()) hint = fmt::format("; a name with a comma goes in double quotes: '\"{}\"'", *longer);
  throw InputError(fmt::format("{}: there is no {} '{}'{}", source, what, name, hint));
}

}  // namespace macmi::data
