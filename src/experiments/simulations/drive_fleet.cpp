#include "experiments/simulations/drive_fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/random.hpp"
#include "macmi/error.hpp"

namespace macmi::experiments {
namespace {

enum Trend { pending, temperature, hours, load, seeks, reads, writes, trend_count };

/// Weights of the trends in failure, of very different size: many followers of the strong ones look better, alone, than
/// the weak ones do.
constexpr std::array<double, trend_count> weights = {1.5, 1.4, 1.3, 0.9, 0.8, 0.8, 0.8};
constexpr double chance = 0.5;                // standard deviation of what no series knows
constexpr double upper_quarter = 0.67448975;  // of the standard normal
constexpr double trend_begins = 0.5;          // of the window

const std::vector<std::string>& causes_by_name() {
  static const std::vector<std::string> names = {
      "current_pending_sectors_raw", "temperature_raw",       "power_on_hours_raw", "load_cycles_raw", "seek_count",
      "logical_blocks_read",         "logical_blocks_written"};
  return names;
}

/// Number of events of a day (Knuth's product method; large means by the normal approximation).
double poisson(double mean, base::RandomStream& random) {
  if (mean > 30) return std::max(0.0, std::round(mean + std::sqrt(mean) * random.normal()));
  const double limit = std::exp(-mean);
  double product = random.uniform(), count = 0;
  while (product > limit) product *= random.uniform(), ++count;
  return count;
}

double thinned(double count, double share, base::RandomStream& random) {
  if (count > 50)
    return std::clamp(std::round(count * share + std::sqrt(count * share * (1 - share)) * random.normal()), 0.0, count);
  double kept = 0;
  for (double i = 0; i < count; ++i) kept += random.uniform() < share;
  return kept;
}

/// One drive of one fleet, day after day; writes to the series of its features.
class Drive {
 public:
  Drive(const base::StreamKey& key, std::size_t days) : random_(key), days_(days) {
    for (double& u : trend_) u = random_.normal();
    trend_[writes] = 0.5 * trend_[reads] + std::sqrt(0.75) * trend_[writes];
    workload_ = random_.normal();
  }

  bool fails() {
    double score = chance * random_.normal(), variance = chance * chance;
    for (std::size_t k = 0; k < trend_count; ++k) score += weights[k] * trend_[k], variance += weights[k] * weights[k];
    variance += 2 * 0.5 * weights[reads] * weights[writes];
    return score > upper_quarter * std::sqrt(variance);
  }

  void live(std::map<std::string, std::vector<double>>& out) {
    begin();
    for (std::size_t day = 0; day < days_; ++day) {
      ramp_ = std::max(0.0,
                       (static_cast<double>(day + 1) / static_cast<double>(days_) - trend_begins) / (1 - trend_begins));
      wear();
      errors();
      noise();
      for (const auto& [name, value] : now_) out[name].push_back(value);
    }
  }

 private:
  /// Old counts and habits, which differ from drive to drive far more than a trend can change them.
  void begin() {
    auto& v = now_;
    v["power_on_hours_raw"] = std::floor(random_.uniform(4000, 42000));
    v["head_flying_hours"] = std::floor(0.97 * v["power_on_hours_raw"] * random_.uniform(0.98, 1));
    v["load_cycles_raw"] = std::floor(std::exp(9 + random_.normal()));
    v["seek_count"] = std::floor(std::exp(18 + 0.8 * random_.normal()));
    v["logical_blocks_read"] = std::floor(std::exp(24.5 + 0.7 * random_.normal()));
    v["logical_blocks_written"] = std::floor(std::exp(24 + 0.7 * random_.normal()));
    for (const char* counter :
         {"current_pending_sectors_raw", "reallocated_sectors_raw", "reported_uncorrectable_errors_raw", "seek_errors",
          "command_timeouts_raw", "high_fly_writes_raw", "sata_downshift_errors_raw"})
      v[counter] = random_.uniform() < 0.3 ? std::floor(-12 * std::log(1 - random_.uniform())) : 0;
    v["start_stop_count_raw"] = 4 + poisson(10, random_);
    v["power_off_retracts"] = poisson(3, random_);
    for (double& habit : habit_) habit = random_.normal();
    heat_ = 0;
  }

  /// Counters of use: each follows the common workload, a habit of its own and its trend.
  void wear() {
    auto& v = now_;
    const auto rate = [&](double level, double spread, Trend k, double strength) {
      return std::exp(level + spread * (0.7 * workload_ + 0.3 * habit_[k]) + strength * ramp_ * trend_[k] +
                      0.3 * random_.normal());
    };
    v["load_cycles_raw"] += poisson(rate(2, 0.4, load, 0.9), random_);
    v["seek_count"] += std::floor(rate(12, 0.4, seeks, 0.8));
    v["logical_blocks_read"] += std::floor(rate(18, 0.4, reads, 0.8));
    v["logical_blocks_written"] += std::floor(rate(17, 0.4, writes, 0.8));
    const double off =
        std::min(24.0, poisson(std::exp(0.2 + 0.3 * habit_[hours] - 0.9 * ramp_ * trend_[hours]), random_));
    v["power_on_hours_raw"] += 24 - off;
    v["head_flying_hours"] += thinned(24 - off, 0.97, random_);
    heat_ = 0.7 * heat_ + 0.7 * random_.normal();
    v["temperature_raw"] = std::round(26 + 3.5 * habit_[temperature] + 2.5 * ramp_ * trend_[temperature] + heat_);
    v["airflow_temperature_raw"] = v["temperature_raw"];
    v["airflow_temperature_normalized"] = 100 - v["temperature_raw"] + std::round(0.8 * random_.normal());
    v["temperature_normalized"] = 2 * std::floor(v["temperature_raw"] / 2);
    v["power_on_hours_normalized"] = 100 - std::floor(v["power_on_hours_raw"] / 877);
    v["load_cycles_normalized"] = std::max(1.0, 100 - std::floor(v["load_cycles_raw"] / 3000));
  }

  /// Zero for most drives on most days.
  void errors() {
    auto& v = now_;
    const double found = 8 * poisson(std::exp(-5.2 + 2.5 * ramp_ * trend_[pending]), random_);
    v["current_pending_sectors_raw"] += found;
    v["reported_uncorrectable_errors_raw"] += thinned(found / 4, 0.7, random_) + poisson(0.002, random_);
    v["reallocated_sectors_raw"] += 8 * thinned(found / 8, 0.7, random_) + 8 * poisson(0.004, random_);
    v["current_pending_sectors_normalized"] = 100 - std::floor(v["current_pending_sectors_raw"] / 64);
    v["offline_uncorrectable_sectors"] = v["current_pending_sectors_normalized"];
    v["reallocated_sectors_normalized"] = 100 - std::floor(v["reallocated_sectors_raw"] / 64);
    v["reported_uncorrectable_errors_normalized"] = std::max(1.0, 100 - v["reported_uncorrectable_errors_raw"]);
    v["seek_errors"] += poisson(0.3, random_);
  }

  void noise() {
    auto& v = now_;
    v["read_error_rate_raw"] = std::floor(random_.uniform(0, 2.4e8));
    v["read_error_rate_normalized"] = 108 + std::floor(v["read_error_rate_raw"] / 2.4e7);
    v["command_timeouts_raw"] += random_.uniform() < 0.002 ? 1 + poisson(1, random_) : 0;
    v["command_timeouts_normalized"] = std::max(1.0, 100 - v["command_timeouts_raw"]);
    v["high_fly_writes_raw"] += random_.uniform() < 0.01;
    v["high_fly_writes_normalized"] = std::max(1.0, 100 - v["high_fly_writes_raw"]);
    v["sata_downshift_errors_raw"] += random_.uniform() < 0.001;
    v["sata_downshift_errors_normalized"] = std::max(1.0, 100 - v["sata_downshift_errors_raw"]);
    v["end_to_end_errors_raw"] = 0;
    v["end_to_end_errors_normalized"] = 100;
    v["start_stop_count_raw"] += random_.uniform() < 0.01;
    v["start_stop_count_normalized"] = 100 - std::floor(v["start_stop_count_raw"] / 12);
    v["power_cycles"] = v["start_stop_count_raw"];
    v["power_off_retracts"] += random_.uniform() < 0.01;
    v["crc_errors"] = 200 - std::floor(random_.uniform() < 0.01 ? random_.uniform(1, 4) : 0);
    v["spin_up_time"] = 91 + std::floor(random_.uniform() * 3);
  }

  base::RandomStream random_;
  std::size_t days_;
  std::array<double, trend_count> trend_{}, habit_{};
  double workload_ = 0, heat_ = 0, ramp_ = 0;
  std::map<std::string, double> now_;
};

/// Features of the first fleet, causes first, then others by name.
std::vector<std::string> in_order(const std::map<std::string, std::vector<double>>& fleet) {
  std::vector<std::string> names = causes_by_name();
  for (const auto& entry : fleet)
    if (std::find(names.begin(), names.end(), entry.first) == names.end()) names.push_back(entry.first);
  return names;
}

}  // namespace

DriveFleet simulate_fleet(const FleetOptions& o) {
  if (o.days < 4) throw InputError("a fleet needs at least 4 days for a trend");
  DriveFleet fleet;
  fleet.drives = o.drives;
  fleet.days = o.days;
  fleet.causes = causes_by_name();
  for (std::size_t copy = 0; fleet.names.size() < o.features; ++copy) {
    std::map<std::string, std::vector<double>> all;
    for (std::size_t i = 0; i < o.drives; ++i) {
      Drive drive(base::StreamKey(o.seed).with("fleet").with(copy).with(i), o.days);
      if (copy == 0) fleet.fails.push_back(drive.fails());
      drive.live(all);
    }
    for (const std::string& name : in_order(all)) {
      if (fleet.names.size() == o.features) break;
      fleet.names.push_back(copy == 0 ? name : fmt::format("{}_{}", name, copy + 1));
      fleet.series.push_back(std::move(all[name]));
    }
  }
  fleet.causes.resize(std::min(fleet.causes.size(), o.features));
  return fleet;
}

std::string representative(const std::string& feature) {
  if (feature == "temperature_raw") return "airflow_temperature_raw";
  if (feature == "offline_uncorrectable_sectors") return "current_pending_sectors_normalized";
  if (feature == "start_stop_count_raw") return "power_cycles";
  return feature;
}

double cause_f1(const std::vector<std::string>& selected, const std::vector<std::string>& causes) {
  std::set<std::string> found, truth;
  for (const std::string& name : selected) found.insert(representative(name));
  for (const std::string& name : causes) truth.insert(representative(name));
  double right = 0;
  for (const std::string& name : found) right += static_cast<double>(truth.count(name));
  return found.empty() ? 0 : 2 * right / static_cast<double>(found.size() + truth.size());
}

}  // namespace macmi::experiments
