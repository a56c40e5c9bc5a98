#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_keep_times.sh <source folder> <python>: what is kept of times that were measured is kept.txt, the library's tables are as
# keep_times.py writes them, and it refuses what it would lose or what is damaged.
set -eu -o pipefail
folder=$1/unit_tests/strategies/best
keep() { "$python" "$script" "$@"; }
python=$2 script=$1/tools/compare/keep_times.py
changed=$(mktemp)
trap 'rm -f "$changed"' EXIT

keep "$folder/measured.txt" | diff - "$folder/kept.txt"
keep --check "$folder/kept.txt" "$1"/strategies/best/tables/*/*.txt

# refused <file> <sed's command> <the message>: keeping or checking the file with that change fails so.
refused() {
  sed "$2" "$folder/$1" >"$changed"
  cmp -s "$changed" "$folder/$1" && { echo "'$2' changes nothing"; exit 1; }
  if message=$(keep ${3:+$3} "$changed" 2>&1 >/dev/null); then echo "$1 with '$2' is taken"; exit 1; fi
  [[ $message == *"$4"* ]] || { echo "$1 with '$2': $message"; exit 1; }
}
refused measured.txt '/RowOwner,quad1,helmholtz,double,ordered,/d; s/^rows = .*/rows = 45/' '' 'not measured on the ordered box'
refused measured.txt '/RowOwner,quad1,helmholtz,double,shuffled,/s/,[0-9.e+]*,\([0-9.e+]*,[^,]*,[^,]*,[^,]*\)$/,7,\1/' '' 'bytes on the shuffled box are not those on the ordered one'
refused measured.txt '/RowOwner,quad1,helmholtz,double,bent,/s/,[0-9.e+]*\(,[^,]*,[^,]*,[^,]*\)$/,7\1/' '' 'flops an element of the bent box'
refused measured.txt '/RowOwner,quad1,helmholtz,double,bent,/s/bent,[0-9]*/bent,5/' '' 'the bent box of quad1 is not the same in all rows'
refused measured.txt '/RowOwner,quad1,helmholtz,double,bent,/p; s/^rows = .*/rows = 47/' '' 'stands twice on the bent box'
refused measured.txt '$d' '' 'is cut short'
refused kept.txt 's/^quad1,bent,.*/quad1,bent,1.21e+06,0.132996,1.0,0.000909711/' --check 'would be written 1'
refused kept.txt '/^quad1,bent,/d; s/^meshes = .*/meshes = 11/' --check 'has no bent box of quad1'
refused kept.txt '/^quad1,small,/{h;d}; /^quad1,ordered,/{G}' --check 'not in the order'
