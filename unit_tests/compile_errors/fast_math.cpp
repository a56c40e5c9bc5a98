// SPDX-License-Identifier: BSD-3-Clause
// A program that the compiler lets assume that no number is NaN: solvers would take NaN for convergence.

#include <tessera/solvers/cg.hpp>
