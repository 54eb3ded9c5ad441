#pragma once

namespace macmi {
/// "0.1.0"
const char* version();
}  // namespace macmi
