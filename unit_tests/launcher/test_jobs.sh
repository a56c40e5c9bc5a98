#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_jobs.sh SOURCE: a number of compilations that is none is refused before any work.
set -eu -o pipefail
for jobs in abc -1 0 2.5 '4 4'; do
  status=0
  message=$(TESSERA_JOBS=$jobs "$1/tessera" build serial 2>&1) || status=$?
  if [ "$status" != 2 ] || [[ $message != *"TESSERA_JOBS is '$jobs'; it may be a number of compilations from 1"* ]]; then
    echo "TESSERA_JOBS='$jobs': status $status, '$message'" >&2
    exit 1
  fi
done
