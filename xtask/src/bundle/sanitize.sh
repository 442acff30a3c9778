#!/bin/sh
# Runs GPU tests of the bundle whose graphs are small under NVIDIA's compute-sanitizer,
# each in a process of its own and one a processor at a time, and ends with a line
# `N tests, N with errors, N not ended`. Arguments are the tool: memcheck (if none is
# given), initcheck or racecheck; a part of the names of programs, if not all are meant;
# and the seconds that a test may take.
set -u
cd "$(dirname "$0")" || exit 2
. ./unpack.sh
export STARPATH_REQUIRE_GPU=1
export PATH="$PATH:/usr/local/cuda/bin"
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# The tests of a program of which these arguments choose some, a line `program test` each.
tests() {
    case "$1" in *"$part"*) ;; *) return ;; esac
    program=$1
    shift
    "$program" --list "$@" | sed -n "s|^\(.*\): test$|$program \1|p"
}

# tests that are refused memory make calls that fail, which is no error here
one='
    found=$(timeout "$2" compute-sanitizer --tool "$1" --report-api-errors no \
        --error-exitcode 9 "$3" --exact "$4" 2>&1)
    code=$?
    case "$found" in *"before first instrumented API call"*) code=none ;; esac
    case $code in
        0) echo "$3 $4: ok" ;;
        124) echo "$3 $4: not ended after $2 s" ;;
        none) echo "$3 $4: ok, calls no GPU" ;;
        *) printf "%s\n%s\n" "$found" "$3 $4: ERRORS" ;;
    esac'

cat origin
tool=${1:-memcheck} part=${2:-} limit=${3:-240}
{
    tests tests/gpu-runtime-device
    tests tests/sssp-gpu
    tests tests/apsp-all gpu --skip 12529
    tests tests/closure-all gpu
    tests tests/hierarchy-unit cuda
    tests tests/hierarchy-all gpu
    tests tests/star-machine-all gpu --skip million
} | xargs -n 2 -P "$(nproc)" sh -c "$one" sanitize "$tool" "$limit" | tee "$log"
ends() { grep -cE "^tests/[^ ]+ [^ ]+: $1" "$log"; }
errors=$(ends ERRORS) unended=$(ends 'not ended')
echo "$(ends '') tests, $errors with errors, $unended not ended"
[ "$errors" -eq 0 ]
