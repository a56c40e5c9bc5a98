#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# compare.sh FOLDER PROGRAM...: runs the programs in it, and the one with the catalogue alone, in turn, and compares the least
# times of each.
set -u -o pipefail
cd "$1" || exit
programs=${*:2}
# What is chosen at run time has no more than AVX2.
own=1.5
if grep -qs avx512f /proc/cpuinfo; then own=3; fi
# compare FILE: compares the least times of each program.
compare() {
  awk -v own="$own" -v programs="$programs" '
    { key = $1 " " $2; if (!(key in least) || $3 < least[key]) least[key] = $3 }
    # The first takes at most `factor` times as long as the second.
    function compare(first, second, factor) {
      if (!(first in least) || !(second in least)) { print "no time of " first " or of " second; failed = 1; return }
      printf "%s: %.1f ns, %s: %.1f ns\n", first, least[first], second, least[second]
      if (!(least[first] <= factor * least[second])) { print "more than " factor " times as long"; failed = 1 }
    }
    END {
      count = split(programs, names)
      for (p = 1; p <= count; ++p) compare(names[p] " catalogue", "alone catalogue", 1.5)
      if (programs ~ /both/ && programs ~ /native/) compare("both own", "native own", own)
      exit failed
    }' "$1"
}
# Processors that are shared run at half their speed for a while: where programs differ, all get more runs.
rm -f times.txt
for round in {1..90}; do
  for program in alone $programs; do
    "./$program" | sed "s/^/$program /" >>times.txt || exit
  done
  if [ $((round % 15)) = 0 ] && compare times.txt; then exit 0; fi
done
exit 1
