#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# E4S' test suite gives spackLoadUnique, which sets TESSERA_ROOT.
. ../../setup.sh
spackLoadUnique cmake
spackLoadUnique tessera
