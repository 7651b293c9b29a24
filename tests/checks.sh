# SPDX-License-Identifier: MIT
#
# What scripts that test programs have in common: each reads this first, and ends with
# `conclude`. REDIST_TOOL is the tool's path.
set -u
unset COLUMNS # of whoever runs the tests
tool=${REDIST_TOOL:?the path of the tool}
scratch=$(mktemp -d -p "$PWD") || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
    echo "$1"
    failures=$((failures + 1))
}

# holds NAME COMMAND..  - the command must succeed.
holds() {
    local name=$1
    shift
    "$@" || fail "$name: does not hold: $*"
}

# within SECONDS COMMAND..  - run a command for at most so many seconds of processor time,
# which other work on the machine does not count for.
within() { (ulimit -t "$1" && shift && exec "$@"); }

# What `expect` looks at of all that is printed; a script may look at less.
looked_at() { cat; }

# expect NAME STATUS ARGUMENT..  - run the tool; what it prints must be what stdin holds.
expect() {
    local name=$1 status=$2
    shift 2
    cat >"$scratch/expected"
    "$tool" "$@" >"$scratch/all" 2>&1
    local actual=$?
    looked_at <"$scratch/all" >"$scratch/actual"
    [ $actual -eq "$status" ] || fail "$name: exit status $actual, expected $status"
    diff -u "$scratch/expected" "$scratch/actual" || fail "$name: printed something else"
}

# Say how many checks have failed, and end.
conclude() {
    [ $failures -eq 0 ] && echo "all passed" && exit 0
    echo "$failures failed"
    exit 1
}
