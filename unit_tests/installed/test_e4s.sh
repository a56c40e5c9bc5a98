#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_e4s.sh SOURCE FOLDER PREFIX: the project's test of E4S' validation suite passes in a suite's folder, whose setup.sh loads
# the library installed in PREFIX, and leaves nothing behind.
set -eu -o pipefail
suite=$2/suite
rm -rf "$suite"
mkdir -p "$suite/validation_tests"
cp -r "$1/packaging/e4s/tessera" "$suite/validation_tests"
cat >"$suite/setup.sh" <<SETUP
spackLoadUnique() {
  case \$1 in
    tessera*) export TESSERA_ROOT='$3' ;;
    cmake) ;;
    *) echo "no package \$1"; exit 1 ;;
  esac
}
SETUP
cd "$suite/validation_tests/tessera"
before=$(ls)
for step in clean compile run clean; do bash "./$step.sh"; done
[ "$(ls)" = "$before" ] || { echo "clean.sh leaves $(ls)"; exit 1; }
