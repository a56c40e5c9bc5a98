#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_pkg_config.sh PREFIX COMPILER SOURCE FOLDER VERSION: a program compiled by what pkg-config says of the installed library.
set -eu -o pipefail
prefix=$1 compiler=$2 source=$3 folder=$4 version=$5
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tessera.pc)")
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion tessera)" = "$version" ]
mkdir -p "$folder"
libraries=$(pkg-config --variable=libdir tessera)
# shellcheck disable=SC2046 # words
"$compiler" -O0 $(pkg-config --cflags tessera) "$source" -o "$folder/application" $(pkg-config --libs tessera)
cd "$folder" && LD_LIBRARY_PATH=$libraries ./application
