#!/bin/sh
# Measures several GPUs of this machine beside one, in less than so many seconds (580, or the
# first argument): a run whose GPU is taken out, and the study `scaling`, as one process and as
# ranks where there is MPI. More arguments go to the study. The report is written to results/
# beside this file, unless --out says otherwise.
set -eu
cd "$(dirname "$0")"
start=$(date +%s)
. ./unpack.sh
seconds=${1:-580}
[ $# -eq 0 ] || shift
programs=$PWD/bin
cat origin
nvidia-smi topo -m || true

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if [ -z "${STARPATH_NCCL:-}" ]; then
    # the one that PyTorch brings, where the loader knows none
    nccl=$(python3 -c 'import nvidia.nccl, os; print(os.path.join(list(nvidia.nccl.__path__)[0],
        "lib/libnccl.so.2"))' 2>/dev/null || true)
    if [ -f "$nccl" ]; then export STARPATH_NCCL="$nccl"; fi
fi
ranks=
if [ -x "$programs/starpath-mpi" ] && command -v mpirun >/dev/null &&
    "$programs/starpath-mpi" --version >/dev/null; then
    ranks=$programs/starpath-mpi
else
    echo "SKIPPED: ranks, for there is no MPI here or none was bundled"
fi

# The sum of the distances that a report tells.
sum() { sed -n 's/.*"distance_sum":\([0-9]*\).*/\1/p' "$1"; }

# Ranks share a matrix in a folder. One is killed while they work, and the others' GPUs go on.
take_one_out() {
    graph=$work/graph.spg scratch=$work/scratch vertices=${STARPATH_VERTICES:-24576}
    "$programs/starpath" generate uniform --vertices "$vertices" --edges $((vertices * 4)) \
        --directed -o "$graph" --quiet
    gpus=$(nvidia-smi --query-gpu=uuid --format=csv,noheader)
    n=$(echo "$gpus" | wc -l)
    "$programs/starpath" apsp "$graph" --backend cuda --gpus all --check 8 --json >"$work/whole"
    mpirun -n "$n" --bind-to none "$ranks" apsp "$graph" --backend cuda --scratch "$scratch" \
        --quiet --json >"$work/part" 2>"$work/error" &
    run=$!
    until grep -q '^blocks-done [1-9]' "$scratch/journal" 2>/dev/null; do
        kill -0 $run 2>/dev/null || break
        sleep 0.05
    done
    pkill -KILL -n -x starpath-mpi || true
    if wait $run; then
        echo "FAILED: no GPU was taken out, for the run had ended"
        return 1
    fi
    n_done=$(sed -n 's/^blocks-done //p' "$scratch/journal")
    rest=$(echo "$gpus" | head -n $((n - 1)) | paste -sd, -)
    CUDA_VISIBLE_DEVICES=$rest "$programs/starpath" apsp "$graph" --backend cuda --gpus all \
        --scratch "$scratch" --resume --check 8 --json >"$work/resumed"
    echo "of $n GPUs one was taken out after $n_done blocks of pivots, and the rest went on"
    cat "$work/whole" "$work/resumed"
    [ "$(sum "$work/whole")" = "$(sum "$work/resumed")" ]
}
if [ -n "$ranks" ] && [ "$(nvidia-smi -L | wc -l)" -gt 1 ]; then
    take_one_out
else
    echo "SKIPPED: a GPU taken out, which takes ranks and two GPUs"
fi

cd "$folder"
left=$((seconds - ($(date +%s) - start)))
set -- --runs 3 --patience 300 --seconds "$left" "$@"
[ -z "$ranks" ] || set -- --program "$ranks" "$@"
case " $* " in *" --out "*) ;; *) set -- "$@" --out results ;; esac
"$programs/bench" scaling "$@"
