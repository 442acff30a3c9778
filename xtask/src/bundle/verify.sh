#!/bin/sh
# Runs every test of the bundle on this machine, which must have a GPU, and ends with a
# line `N passed, N failed, N skipped`. Arguments go to each test program.
set -u
cd "$(dirname "$0")" || exit 2
. ./unpack.sh
export STARPATH_REQUIRE_GPU=1

log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0
# The number before a word in the line `test result: ok. 3 passed; 0 failed; ...`.
count() { sed -n "s/^test result: .* \([0-9]*\) $1;.*/\1/p" "$log" | tail -n 1; }

cat origin
for test in tests/*; do
    if "$test" "$@" --show-output >"$log" 2>&1; then
        grep -E '^(SKIPPED|test result)' "$log" | sed "s|^|$test: |"
    else
        cat "$log"
        echo "$test: FAILED"
        # A program that dies counts no tests.
        [ -n "$(count failed)" ] || failed=$((failed + 1))
    fi
    n_skipped=$(grep -c '^SKIPPED' "$log")
    skipped=$((skipped + n_skipped))
    n_passed=$(count passed)
    passed=$((passed + ${n_passed:-0} - n_skipped))
    n_failed=$(count failed)
    failed=$((failed + ${n_failed:-0}))
done

# The Python package beside the processor, by the Python and numpy of this machine.
if python3 -c 'import numpy, pytest, scipy' 2>/dev/null; then
    PYTHONPATH=python python3 -m pytest -q -rs -p no:cacheprovider python/tests/test_gpu.py \
        python/tests/test_device.py >"$log" 2>&1 || failed=$((failed + 1))
    cat "$log"
    n_passed=$(sed -n 's/.*\b\([0-9]*\) passed.*/\1/p' "$log" | tail -n 1)
    passed=$((passed + ${n_passed:-0}))
else
    echo "SKIPPED: there is no Python with numpy, scipy and pytest"
    skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
