#pragma once

namespace macmi {
/// "0.2.0"
const char* version();
}  // namespace macmi
