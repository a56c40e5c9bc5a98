#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
. ./setup.sh
set -e
./build/application
