#pragma once
#include <functional>
#include <memory>
#include <string_view>

#include "cluster/messages.hpp"
#include "cluster/ranks.hpp"
#include "macmi/ci_test.hpp"

namespace macmi {

/// Makes the test that a rank answers with. `samples` stay where they are; `cancelled` is to be asked within long
/// tests.
using MakeRankTest = std::function<std::unique_ptr<TargetCiTest>(const SamplesNotice& notice, std::string_view samples,
                                                                 const std::function<bool()>& cancelled)>;

/// Every rank but 0: makes the tests that the coordinator sends, one at a time, until it is told to end.
/// `asked_to_end`: the process got a signal; it leaves after a moment, in which the coordinator may end everything in
/// order. Throws RankLost when the coordinator died or fell silent.
void serve_tests(Ranks& ranks, const MakeRankTest& make_test, const std::function<bool()>& asked_to_end);

}  // namespace macmi
