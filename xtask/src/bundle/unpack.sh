# Read by the scripts beside it, in their folder: unpacks what they run, and goes there.
# The sum is written last, so what was unpacked half is unpacked again.
sum=$(cksum <contents.tar.xz) || exit 2
if [ "$(cat unpacked/sum 2>/dev/null)" != "$sum" ]; then
    rm -rf unpacked && mkdir unpacked && tar -xJf contents.tar.xz -C unpacked &&
        echo "$sum" >unpacked/sum || exit 2
fi
folder=$PWD
cd unpacked || exit 2
if [ -d data ]; then export STARPATH_DATA="$PWD/data"; fi
export CARGO_BIN_EXE_starpath="$PWD/bin/starpath"
