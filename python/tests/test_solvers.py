# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
import tessera_fem as tf
from reference import matrix_of, needs, rhs_of, solution_of

pytestmark = needs("hex1")


def clamped_block():
    mesh = tf.box((8, 5, 5), (4, 1, 1), element="hex1")
    space = tf.Space(mesh, 3)
    space.constrain("xmin", 0)
    space.add_pressure("zmax", 0.01)
    system = tf.System(space)
    system.assemble(tf.LinearElasticity(10, 0.3, [0, 0, -0.1]))
    return system


def error(x, exact):
    return np.linalg.norm(x - exact) / np.linalg.norm(exact)


def test_elasticity_beside_a_direct_solution():
    system = clamped_block()
    exact = scipy.sparse.linalg.spsolve(matrix_of(system).tocsc(), rhs_of(system))
    preconditioner = tf.multigrid(matrix_of(system), system.space)
    x, result = tf.cg(matrix_of(system), rhs_of(system), preconditioner, rtol=1e-10)
    assert result.converged and result.iterations < 40 and error(x, exact) < 1e-8
    assert result.true_residual <= 1e-10 * result.rhs_norm and len(result.history) == result.iterations + 1
    x, jacobi = tf.cg(matrix_of(system), rhs_of(system), rtol=1e-10)
    assert jacobi.iterations > 2 * result.iterations and error(x, exact) < 1e-8
    whole = solution_of(system, rtol=1e-10)
    assert error(whole, system.space.expand(exact)) < 1e-8 and whole.shape == (len(system.space.mesh.points), 3)


def test_helmholtz_with_prescribed_values():
    """A linear function is in the space: the solution, to the tolerance."""
    mesh = tf.box((9, 10, 11), element="hex1")
    space = tf.Space(mesh)
    exact = mesh.points @ [1, -2, 3] + 0.5
    for name in mesh.node_sets:
        space.constrain(name, exact[mesh.node_sets[name]])
    system = tf.System(space)
    system.assemble(tf.Helmholtz(2.5))
    assert error(solution_of(system, rtol=1e-12), exact) < 1e-10


def laplacian(n):
    line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    eye = scipy.sparse.identity(n)
    return (scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)).tocsr()


@pytest.mark.parametrize("with_coordinates", [False, True])
def test_matrix_of_anyone(with_coordinates):
    n = 40
    A = laplacian(n)
    x, y = np.meshgrid(np.arange(n), np.arange(n))
    coordinates = np.column_stack([x.ravel(), y.ravel()]) if with_coordinates else None
    M = tf.multigrid(A, coordinates=coordinates)
    b = np.sin(np.arange(n * n))
    exact = scipy.sparse.linalg.spsolve(A.tocsc(), b)
    x, result = tf.cg(A, b, M, rtol=1e-11)
    assert error(x, exact) < 1e-9 and result.iterations < 40
    x, info = scipy.sparse.linalg.cg(A, b, M=M, rtol=1e-11, atol=0, maxiter=60)
    assert info == 0 and error(x, exact) < 1e-8
    assert M.level_rows[0] == n * n and len(M.level_rows) > 1 and M.bytes > 0 and M.operator_complexity > 1
    assert not M.singular


def test_other_formats_and_types():
    A = laplacian(20)
    b = np.ones(400)
    exact = scipy.sparse.linalg.spsolve(A.tocsc(), b)
    twice = scipy.sparse.coo_matrix((np.r_[A.tocoo().data, A.tocoo().data] / 2, np.tile([A.tocoo().row, A.tocoo().col], 2)))
    unsorted = A.copy()
    for row in range(400):
        part = slice(unsorted.indptr[row], unsorted.indptr[row + 1])
        unsorted.indices[part] = unsorted.indices[part][::-1].copy()
        unsorted.data[part] = unsorted.data[part][::-1].copy()
    unsorted.has_canonical_format = unsorted.has_sorted_indices = False
    wide = A.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for other in (A.tocsc(), A.astype(np.float32), A.astype(int), twice, unsorted, wide, scipy.sparse.csr_array(A)):
        x, result = tf.cg(other, b, tf.multigrid(other), rtol=1e-10)
        assert result.converged and error(x, exact) < 1e-8
    assert not unsorted.has_sorted_indices, "the caller's matrix was changed"


def test_near_null_space():
    system = clamped_block()
    points = system.space.mesh.points
    free = np.setdiff1d(np.arange(len(points)), system.space.mesh.node_sets["xmin"])
    x, y, z = points[free].T
    o, i = np.zeros_like(x), np.ones_like(x)
    modes = np.stack([(i, o, o), (o, i, o), (o, o, i), (o, -z, y), (z, o, -x), (-y, x, o)]).transpose(2, 1, 0)
    rigid = tf.multigrid(matrix_of(system), components=3, near_null=modes.reshape(-1, 6))
    plain = tf.multigrid(matrix_of(system), components=3)
    counts = [tf.cg(matrix_of(system), rhs_of(system), M)[1].iterations for M in (rigid, plain)]
    assert counts[0] < counts[1]


def test_refreshed():
    system = clamped_block()
    M = tf.multigrid(matrix_of(system), system.space)
    _, before = tf.cg(matrix_of(system), rhs_of(system), M)
    graded = np.linspace(1, 50, len(system.space.mesh.cells))
    system.assemble(tf.LinearElasticity(graded))
    M.refresh(matrix_of(system))
    fresh = tf.multigrid(matrix_of(system), system.space)
    b = np.ones(M.shape[0])
    x, after = tf.cg(matrix_of(system), b, M)
    assert abs(after.iterations - tf.cg(matrix_of(system), b, fresh)[1].iterations) <= 2 and before.converged
    with pytest.raises(tf.ArgumentError):
        M.refresh(laplacian(20))


def test_first_guess_and_limits():
    A, b = laplacian(20), np.ones(400)
    exact, _ = tf.cg(A, b, rtol=1e-13)
    guess = exact.copy()
    _, result = tf.cg(A, b, x0=guess)
    assert result.iterations == 0 and np.array_equal(guess, exact)
    _, result = tf.cg(A, b, maxiter=3)
    assert not result.converged and result.reason == "maximum number of iterations reached"


def test_refusals():
    A, b = laplacian(20), np.ones(400)
    with pytest.raises(tf.ArgumentError, match="b: 3 entries for 400 rows"):
        tf.cg(A, np.ones(3))
    with pytest.raises(tf.ArgumentError, match="M is a csr_matrix"):
        tf.cg(A, b, M=A)
    with pytest.raises(tf.ArgumentError, match="values are complex128"):
        tf.multigrid(A * 1j)
    with pytest.raises(tf.ArgumentError, match="3 x 4"):
        tf.multigrid(scipy.sparse.csr_matrix((3, 4)))
    with pytest.raises(tf.ArgumentError, match="ndarray"):
        tf.multigrid(A.toarray())
    with pytest.raises(tf.ArgumentError):
        tf.multigrid(A, coordinates=np.zeros((7, 2)))
    with pytest.raises(tf.ArgumentError, match="400 rows, the space"):
        tf.multigrid(A, clamped_block().space)
    with pytest.raises(tf.SolverError):
        tf.multigrid(-A)
    with pytest.raises(tf.SolverError):
        tf.cg(scipy.sparse.diags([1.0, -1.0]).tocsr(), np.ones(2), rtol=1e-8)
    with pytest.raises(tf.ArgumentError):
        tf.cg(A, b, rtol=2.0)
    broken = A.copy()
    broken.indices[5] = 4000
    with pytest.raises(tf.ArgumentError):
        tf.cg(broken, b)
