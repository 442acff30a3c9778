#!/bin/sh
# Runs tests of the bundle under NVIDIA's compute-sanitizer and ends with a line
# `N programs, N with errors`. Arguments are the tool: memcheck (if none is given),
# initcheck or racecheck; and a part of the names of programs, if not all are meant.
# Which tests: those of the GPU whose graphs are small.
set -u
cd "$(dirname "$0")" || exit 2
. ./unpack.sh
export STARPATH_REQUIRE_GPU=1
PATH=$PATH:/usr/local/cuda/bin
tool=${1:-memcheck} part=${2:-}
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

cat origin
programs=0 wrong=0
# A test program, and what it is to run or to leave out.
sanitize() {
    case "$1" in *"$part"*) ;; *) return ;; esac
    # tests that are refused memory make calls that fail, which is no error here
    compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 9 "$@" >"$log" 2>&1
    code=$?
    programs=$((programs + 1))
    echo "== $tool $*"
    if [ "$code" -eq 0 ]; then
        grep -E '^test .* ok$|^test result|SUMMARY' "$log"
    else
        wrong=$((wrong + 1))
        cat "$log"
    fi
}
sanitize tests/gpu-runtime-device
sanitize tests/sssp-gpu
sanitize tests/apsp-all gpu:: --skip 12529
sanitize tests/star-machine-all gpu --skip million
echo "$programs programs, $wrong with errors"
[ "$wrong" -eq 0 ]
