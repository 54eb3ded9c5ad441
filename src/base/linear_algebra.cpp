#include "base/linear_algebra.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace macmi::base {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd product(const Eigen::Ref<const MatrixXd>& a, const Eigen::Ref<const MatrixXd>& b) {
  return a * b;
}

MatrixXd transposed_product(const Eigen::Ref<const MatrixXd>& a, const Eigen::Ref<const MatrixXd>& b) {
  return a.transpose() * b;
}

MatrixXd projected(const MatrixXd& basis, const MatrixXd& columns) {
  return basis * (basis.transpose() * columns).eval();
}

MatrixXd orthonormal_basis(const MatrixXd& columns, double rounding) {
  if (columns.cols() == 0) return columns;
  Eigen::ColPivHouseholderQR<MatrixXd> qr(columns.rows(), columns.cols());
  qr.setThreshold(rounding);
  qr.compute(columns);
  return qr.householderQ() * MatrixXd::Identity(columns.rows(), qr.rank());
}

MatrixXd symmetric_eigenvectors(const MatrixXd& matrix) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(matrix).eigenvectors();
}

VectorXd singular_values(const MatrixXd& matrix) {
  return Eigen::JacobiSVD<MatrixXd>(matrix).singularValues();
}

VectorXd least_squares(const MatrixXd& matrix, const VectorXd& right) {
  return matrix.completeOrthogonalDecomposition().solve(right);
}

}  // namespace macmi::base
