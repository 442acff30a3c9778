#!/bin/sh
# Measures on this machine; arguments go to the bench program (try --help). Its report is
# written to results/ beside this file, unless --out says otherwise.
set -eu
cd "$(dirname "$0")"
if [ -f origin ]; then . ./origin; fi
if [ -d data ]; then export STARPATH_DATA="$PWD/data"; fi
case " $* " in
    *" --out"* | *" --help "*) exec bin/bench "$@" ;;
    *) exec bin/bench "$@" --out results ;;
esac
