#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/messages.hpp"
#include "cluster/ranks.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::cluster {

/// Makes the test that a rank answers with. `samples` stay where they are; `cancelled` is to be asked within long
/// tests.
using MakeRankTest = std::function<std::unique_ptr<TargetCiTest>(const SamplesNotice& notice, std::string_view samples,
                                                                 const std::function<bool()>& cancelled)>;

/// Work other than tests (Coordinator::work).
struct RankWork {
  std::string_view bytes;
  std::string_view shared;  ///< the bytes shared last for work; stays where it is
  std::function<void(std::string news)> tell;
  std::function<bool()> cancelled;  ///< to be asked all the time
};

/// The duties of a rank. A duty that is missing is never asked for.
struct RankDuties {
  MakeRankTest make_test = {};
  std::function<std::string(const RankWork& work)> work = {};
};

/// Every rank but 0: does what the coordinator asks for, one thing at a time, until it is told to end.
/// `asked_to_end`: the process got a signal; it leaves after a moment, in which the coordinator may end everything in
/// order. Throws RankLost when the coordinator died or fell silent.
void serve(Ranks& ranks, const RankDuties& duties, const std::function<bool()>& asked_to_end);

}  // namespace macmi::cluster
