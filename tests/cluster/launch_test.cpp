#include "cluster/launch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace macmi::cluster {
namespace {

/// The variables that launchers set, as given and no others.
class Launched : public ::testing::Test {
 protected:
  static constexpr const char* known[] = {
      "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",  "PMI_SIZE",    "PMIX_RANK",
      "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS",         "MACMI_MPI", "SLURM_PROCID"};
  static Launch with(const std::map<std::string, std::string>& variables) {
    for (const char* name : known) unsetenv(name);
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    return launched_as();
  }
  void TearDown() override { with({}); }
};

TEST_F(Launched, AloneWithoutALauncher) {
  EXPECT_EQ(with({}).size, 1);
  EXPECT_EQ(with({{"SLURM_NTASKS", "64"}, {"SLURM_PROCID", "0"}}).size, 1) << "the batch script of a Slurm job";
}

TEST_F(Launched, AsTheLauncherSays) {
  const Launch open_mpi = with({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}});
  EXPECT_EQ(open_mpi.rank, 3);
  EXPECT_EQ(open_mpi.size, 8);
  EXPECT_EQ(with({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}).size, 2);
  EXPECT_EQ(with({{"PMIX_RANK", "5"}, {"SLURM_NTASKS", "6"}}).rank, 5);
  EXPECT_EQ(with({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_NTASKS", "64"}}).size, 2);
}

TEST_F(Launched, AloneWhereTheUserSaysSoOrTheNumbersMakeNoSense) {
  EXPECT_EQ(with({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"MACMI_MPI", "off"}}).size, 1);
  EXPECT_EQ(with({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}).size, 1);
  EXPECT_EQ(with({{"PMI_RANK", "-1"}, {"PMI_SIZE", "two"}}).size, 1);
}

}  // namespace
}  // namespace macmi::cluster
