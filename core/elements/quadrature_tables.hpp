// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The numbers of the quadrature rules, to 17 digits.
///
/// Rules on simplices are kept as orbits of the symmetry group: a weight and barycentric coordinates of which
/// all distinct permutations are points of the rule. All are fully symmetric, so that results do not depend
/// on how an element's vertices are numbered; all weights are positive and all points are inside.

#include <array>

namespace tessera::detail {

/// A weight, relative to the reference domain, and the barycentric coordinates of one point of the orbit.
template <int vertices>
struct Orbit {
  double weight;
  std::array<double, vertices> point;
};

// The number of equal coordinates names the orbit, as in the literature: S21 is (a, a, 1 - 2a).
constexpr Orbit<3> s3(double w) { return {w, {1.0 / 3, 1.0 / 3, 1.0 / 3}}; }
constexpr Orbit<3> s21(double w, double a) { return {w, {a, a, 1 - 2 * a}}; }
constexpr Orbit<3> s111(double w, double a, double b) { return {w, {a, b, 1 - a - b}}; }
constexpr Orbit<4> s4(double w) { return {w, {0.25, 0.25, 0.25, 0.25}}; }
constexpr Orbit<4> s31(double w, double a) { return {w, {a, a, a, 1 - 3 * a}}; }
constexpr Orbit<4> s22(double w, double a) { return {w, {a, a, 0.5 - a, 0.5 - a}}; }
constexpr Orbit<4> s211(double w, double a, double b) { return {w, {a, a, b, 1 - 2 * a - b}}; }

/// Degrees of the rules on the triangle. Degree 3 is served by degree 4, which has no more points.
inline constexpr std::array triangle_degrees{1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12};

/// Rules on the triangle: H. Xiao, Z. Gimbutas, "A numerical algorithm for the construction of efficient
/// quadrature rules in two and higher dimensions", Comput. Math. Appl. 59 (2010) 663-676.
template <int degree>
constexpr auto triangle_orbits() {
  if constexpr (degree == 1) // 1 point
    return std::array{s3(0.50000000000000000)};
  else if constexpr (degree == 2) // 3 points
    return std::array{s21(0.16666666666666667, 0.16666666666666667)};
  else if constexpr (degree == 4) // 6 points
    return std::array{s21(0.054975871827660934, 0.091576213509770743),
                      s21(0.11169079483900573, 0.44594849091596489)};
  else if constexpr (degree == 5) // 7 points
    return std::array{s3(0.11250000000000000), s21(0.062969590272413576, 0.10128650732345634),
                      s21(0.066197076394253090, 0.47014206410511509)};
  else if constexpr (degree == 6) // 12 points
    return std::array{s21(0.085666562076490515, 0.21942998254978296),
                      s21(0.040365544796515489, 0.48013796411221504),
                      s111(0.020317279896830331, 0.019371724361240788, 0.14161901592396816)};
  else if constexpr (degree == 7) // 15 points
    return std::array{s21(0.020459085197028433, 0.057797640054506434),
                      s21(0.063862624280566918, 0.24166360639724739),
                      s21(0.026590416648380227, 0.47319565368925105),
                      s111(0.027877270270345544, 0.046971206130085488, 0.25933901186578568)};
  else if constexpr (degree == 8) // 16 points
    return std::array{s3(0.072157803838893584), s21(0.016229248811599040, 0.050547228317030975),
                      s21(0.051608685267359125, 0.17056930775176021),
                      s21(0.047545817133642312, 0.45929258829272316),
                      s111(0.013615157087217497, 0.0083947774099576053, 0.26311282963463811)};
  else if constexpr (degree == 9) // 19 points
    return std::array{s3(0.048567898141399417),
                      s21(0.012788837829349016, 0.044729513394452710),
                      s21(0.039823869463605127, 0.18820353561903273),
                      s21(0.038913770502387140, 0.43708959149293664),
                      s21(0.015667350113569535, 0.48968251919873763),
                      s111(0.021641769688644689, 0.036838412054736284, 0.22196298916076570)};
  else if constexpr (degree == 10) // 25 points
    return std::array{s3(0.041807437186986961),
                      s21(0.0031926796150593272, 0.019139415242841235),
                      s21(0.039316884873188638, 0.18448501268524649),
                      s21(0.037623663984271991, 0.42823482094371887),
                      s21(0.0048962952492091492, 0.49517345980117050),
                      s111(0.014481140731628170, 0.034723620482327442, 0.13373475510086915),
                      s111(0.019369524543009450, 0.037582727341191656, 0.32669313628133690)};
  else if constexpr (degree == 11) // 28 points
    return std::array{s3(0.040722567354675638),
                      s21(0.0061246484753539827, 0.030846895635588038),
                      s21(0.020064621190654159, 0.11320782728669397),
                      s21(0.033922553871847567, 0.21448345861926933),
                      s21(0.031547436079949332, 0.43665501639317610),
                      s21(0.0062327459369406853, 0.49878016517846078),
                      s111(0.0072788116689046274, 0.014366662569555604, 0.15930361983769351),
                      s111(0.020321424327943237, 0.047664066972150747, 0.31063121631346317)};
  else // 33 points
    return std::array{s21(0.0039658212549868183, 0.024646363436335592),
                      s21(0.014243026034438773, 0.10925782765935431),
                      s21(0.031270606597951379, 0.27146250701492609),
                      s21(0.024959167464030467, 0.44011164865859311),
                      s21(0.012133419040726020, 0.48820375094554155),
                      s111(0.0075418387882557210, 0.021382490256170597, 0.12727971723358935),
                      s111(0.010891792519303778, 0.023034156355267134, 0.29165567973834095),
                      s111(0.021613681829707106, 0.11629601967792658, 0.25545422863851736)};
}

/// Degrees of the rules on the tetrahedron. Degree 4 is served by degree 5, which has no more points.
inline constexpr std::array tetrahedron_degrees{1, 2, 3, 5, 6, 7, 8};

/// Rules on the tetrahedron: J. Jaskowiec, N. Sukumar, "High-order symmetric cubature rules for tetrahedra
/// and pyramids", Int. J. Numer. Methods Eng. 122 (2021) 148-171.
template <int degree>
constexpr auto tetrahedron_orbits() {
  if constexpr (degree == 1) // 1 point
    return std::array{s4(0.16666666666666667)};
  else if constexpr (degree == 2) // 4 points
    return std::array{s31(0.041666666666666667, 0.13819660112501052)};
  else if constexpr (degree == 3) // 8 points
    return std::array{s31(0.020418114740415613, 0.11192072750929159),
                      s31(0.021248551926251054, 0.32868114666534900)};
  else if constexpr (degree == 5) // 14 points
    return std::array{s31(0.012248840519393658, 0.092735250310891226),
                      s31(0.018781320953002642, 0.31088591926330061),
                      s22(0.0070910034628469111, 0.045503704125649649)};
  else if constexpr (degree == 6) // 24 points
    return std::array{s31(0.0016795351758867738, 0.040673958534611353),
                      s31(0.0066537917096945820, 0.21460287125915203),
                      s31(0.0092261969239424537, 0.32233789014227551),
                      s211(0.0080357142857142857, 0.063661001875017525, 0.26967233145831581)};
  else if constexpr (degree == 7) // 35 points
    return std::array{s4(0.015914214910688475), s31(0.0070549302016611715, 0.31570114977820280),
                      s22(0.0053161546388095967, 0.050489822598396369),
                      s211(0.0013517951383172236, 0.021265472541483246, 0.14663881381848495),
                      s211(0.0062011884547224369, 0.18883383102600105, 0.047160700360997881)};
  else // 46 points
    return std::array{s31(0.0014387893368024946, 0.044577379448846234),
                      s31(0.0049546423477990327, 0.11446240676123045),
                      s31(0.0079688313390511147, 0.18681275827072096),
                      s31(0.0072545540364958753, 0.31380659227240162),
                      s22(0.0061484235449777264, 0.065483490543842387),
                      s211(0.0011929003112072680, 0.021247779669571675, 0.24282751426755174),
                      s211(0.0024161711184765853, 0.20389317466211028, 0.0050733207504216101)};
}

/// Points on a line, in increasing order, and their weights.
template <int points>
struct LineRule {
  std::array<double, points> coordinates;
  std::array<double, points> weights;
};

/// Gauss-Legendre on [-1,1]: the rule with n points is exact to degree 2n - 1. M. Abramowitz, I. A. Stegun,
/// "Handbook of Mathematical Functions", table 25.4.
template <int points>
constexpr LineRule<points> gauss_legendre() {
  if constexpr (points == 1)
    return {{0.0}, {2.0}};
  else if constexpr (points == 2)
    return {{-0.57735026918962576, 0.57735026918962576}, {1.0, 1.0}};
  else if constexpr (points == 3)
    return {{-0.77459666924148338, 0.0, 0.77459666924148338},
            {0.55555555555555556, 0.88888888888888889, 0.55555555555555556}};
  else if constexpr (points == 4)
    return {{-0.86113631159405258, -0.33998104358485626, 0.33998104358485626, 0.86113631159405258},
            {0.34785484513745386, 0.65214515486254614, 0.65214515486254614, 0.34785484513745386}};
  else if constexpr (points == 5)
    return {{-0.90617984593866399, -0.53846931010568309, 0.0, 0.53846931010568309, 0.90617984593866399},
            {0.23692688505618909, 0.47862867049936647, 0.56888888888888889, 0.47862867049936647,
             0.23692688505618909}};
  else if constexpr (points == 6)
    return {{-0.93246951420315203, -0.66120938646626451, -0.23861918608319691, 0.23861918608319691,
             0.66120938646626451, 0.93246951420315203},
            {0.17132449237917035, 0.36076157304813861, 0.46791393457269105, 0.46791393457269105,
             0.36076157304813861, 0.17132449237917035}};
  else if constexpr (points == 7)
    return {{-0.94910791234275852, -0.74153118559939444, -0.40584515137739717, 0.0, 0.40584515137739717,
             0.74153118559939444, 0.94910791234275852},
            {0.12948496616886969, 0.27970539148927667, 0.38183005050511894, 0.41795918367346939,
             0.38183005050511894, 0.27970539148927667, 0.12948496616886969}};
  else
    return {{-0.96028985649753623, -0.79666647741362674, -0.52553240991632899, -0.18343464249564980,
             0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623},
            {0.10122853629037626, 0.22238103445337447, 0.31370664587788729, 0.36268378337836198,
             0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626}};
}

/// Gauss-Jacobi on [0,1] for integrals with the factor (1 - z)^2: the rule with n points is exact to degree
/// 2n - 1 of what that multiplies. Its points are the zeros of the Jacobi polynomial P_n^(2,0)(2z - 1).
template <int points>
constexpr LineRule<points> gauss_jacobi() {
  if constexpr (points == 1)
    return {{0.25000000000000000}, {0.33333333333333333}};
  else if constexpr (points == 2)
    return {{0.12251482265544138, 0.54415184401122529}, {0.23254745125350790, 0.10078588207982543}};
  else if constexpr (points == 3)
    return {{0.072994024073149732, 0.34700376603835188, 0.70500220988849838},
            {0.15713636106488661, 0.14624626925986602, 0.029950703008580698}};
  else if constexpr (points == 4)
    return {{0.048500549446997329, 0.23860073755186231, 0.51704729510436750, 0.79585141789677286},
            {0.11088841561127798, 0.14345878979921421, 0.068633887172923075, 0.010352240749918065}};
  else if constexpr (points == 5)
    return {{0.034578939918215092, 0.17348032077169572, 0.38988638706551933, 0.63433347263088677,
             0.85105421294701642},
            {0.081764784285770918, 0.12619896189991149, 0.089200161221590000, 0.032055600722961919,
             0.0041138252030990080}};
  else if constexpr (points == 6)
    return {{0.025904555093667193, 0.13156394165798513, 0.30243691802289123, 0.50903641316475208,
             0.71568112731171392, 0.88680561617756187},
            {0.062538702726580938, 0.10737649973678063, 0.094577186748541204, 0.051289571129616210,
             0.015720297184945051, 0.0018310758068692977}};
  else if constexpr (points == 7)
    return {{0.020132773773400507, 0.10308902914804901, 0.24055412604805754, 0.41400214459705975,
             0.60002151327899293, 0.77351724659143750, 0.91118316656300276},
            {0.049276501776438121, 0.090698824612686145, 0.091733803279795254, 0.063146378708891298,
             0.029422211289528615, 0.0081629256323046945, 0.00089268803368920680}};
  else
    return {{0.016097759551921034, 0.082900617485651103, 0.19547516848873992, 0.34165199147720222,
             0.50559707818448917, 0.66955227182436145, 0.81577170358328376, 0.92850896495990690},
            {0.039778957806690560, 0.076818093267222625, 0.085284769171938765, 0.068447183421653272,
             0.040814426388544023, 0.017246863780234983, 0.0044745217130144080, 0.00046851778403469726}};
}

} // namespace tessera::detail
