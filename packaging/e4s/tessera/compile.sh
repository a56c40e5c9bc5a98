#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
. ./setup.sh
set -e
cmake -S . -B build "-DTessera_ROOT=$TESSERA_ROOT"
cmake --build build
