#pragma once
#include <Eigen/Core>

/// Decompositions and products of matrices, compiled once: every file that instantiates Eigen's own takes ten seconds
/// and more to compile.
namespace macmi::base {

/// a b
Eigen::MatrixXd product(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b);

/// aᵀ b
Eigen::MatrixXd transposed_product(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                   const Eigen::Ref<const Eigen::MatrixXd>& b);

/// The part of columns that an orthonormal basis explains: basis basisᵀ columns.
Eigen::MatrixXd projected(const Eigen::MatrixXd& basis, const Eigen::MatrixXd& columns);

/// An orthonormal basis of the span of columns, by Householder QR with column pivoting. What is left of a column below
/// this share of the longest counts as rounding.
Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& columns, double rounding);

/// Eigenvectors of a symmetric matrix, those of the smallest eigenvalue first.
Eigen::MatrixXd symmetric_eigenvectors(const Eigen::MatrixXd& matrix);

/// Singular values, the largest first.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix);

/// The shortest x with the smallest |matrix x - right|.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);

}  // namespace macmi::base
