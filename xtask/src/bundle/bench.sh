#!/bin/sh
# Measures on this machine; arguments go to the bench program (try --help). Its report is
# written to results/ beside this file, unless --out says otherwise.
set -eu
cd "$(dirname "$0")"
. ./unpack.sh
cd "$folder"
case " $* " in
    *" --out"* | *" --help "* | *" --list "* | " compare "*) exec unpacked/bin/bench "$@" ;;
    *) exec unpacked/bin/bench "$@" --out results ;;
esac
