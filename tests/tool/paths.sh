#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The paths that the tool writes and reads: a regular file is replaced whole, a link is
# followed, and whatever is no regular file stays as it is. What a killed run left is
# removed by the next one (killed.sh kills them). All nodes are made here; none of the system's is named.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mpiexec=${REDIST_MPIEXEC:?what runs a program with -n processes}
cd "$scratch" || exit 1

# run ARGUMENT..  - redistribute a small array with 2 processes, 20 seconds at most.
run() {
    timeout 20 "$mpiexec" -n 2 "$tool" run '[6,4] (block,*) onto 2' '[6,4] (*,block) onto 2' \
        "$@" >stdout 2>stderr
}

# The commands that write to a path (bench draws by the same function as schedule).
commands=('run --output' 'show --svg' 'schedule --svg')
write_by() { # command, path
    local words option=${1##* }
    case ${1%% *} in
    run) run "$option" "$2" ;;
    show) "$tool" show '[6] (block) onto 2' "$option" "$2" >stdout 2>stderr ;;
    *) "$tool" "${1%% *}" '[6] (block) onto 2' '[6] (cyclic) onto 2' "$option" "$2" \
        >stdout 2>stderr ;;
    esac
}

# kind PATH  - what lies there, links not followed, with its permissions and inode.
kind() { stat -c '%F %a %i %t,%T' "$1"; }

# refuses COMMAND PATH SENTENCE  - it fails with this sentence, and the node is as before.
refuses() {
    local before
    before=$(kind "$2")
    if write_by "$1" "$2"; then fail "$1 $2: did not fail"; fi
    grep -q "^redist: $2: cannot be written: $3" stderr ||
        fail "$1 $2: said \"$(cat stderr)\", expected \"$3\""
    [ "$(kind "$2")" = "$before" ] || fail "$1 $2: was $before, is $(kind "$2")"
}

mkfifo fifo
mkdir folder
ln -s fifo to_fifo
ln -s circle_b circle_a
ln -s circle_a circle_b
nodes=()
if mknod null c 1 3 2>/dev/null; then nodes=(null); fi # as root alone
for command in "${commands[@]}"; do
    refuses "$command" fifo 'a FIFO, must be a regular file'
    refuses "$command" to_fifo 'a FIFO, must be a regular file'
    refuses "$command" folder 'a folder, must be a regular file'
    refuses "$command" circle_a 'Too many levels of symbolic links'
    for node in "${nodes[@]}"; do
        refuses "$command" "$node" 'a character device, must be a regular file'
    done

    # A link, a link to a link, and a broken one: what they lead to is written.
    mkdir -p aside
    echo old >aside/real
    chmod 640 aside/real
    ln -sf aside/real link
    ln -sf link link_of_link
    rm -f aside/new
    ln -sf aside/new broken
    for path in link link_of_link broken; do
        write_by "$command" "$path" || { fail "$command $path: failed"; cat stderr; }
        [ -L "$path" ] || fail "$command $path: is no link any more"
    done
    [ "$(head -c 3 aside/real)" != old ] || fail "$command: aside/real is as before"
    [ "$(stat -c %a aside/real)" = 640 ] || fail "$command: aside/real has other permissions"
    [ -s aside/new ] || fail "$command: the broken link led nowhere"
    (umask 027 && rm -f fresh && write_by "$command" fresh)
    [ "$(stat -c %a fresh)" = 640 ] || fail "$command: umask was not kept"
done
[ -z "$(find . -name '*.part' -o -name '*.lock')" ] || fail "left: $(find . -name '*.[pl]*')"

# ---- shards beside other files ------------------------------------------------------------

mkdir shards
echo mine >shards/notes.txt
echo '{"name": "mine"}' >shards/manifest.json
if run --shards shards; then fail "somebody's manifest.json was replaced"; fi
grep -q 'manifest.json: is no manifest of shards' stderr || fail "said $(cat stderr)"
[ "$(cat shards/manifest.json)" = '{"name": "mine"}' ] || fail "manifest.json has changed"
rm shards/manifest.json
run --shards shards || { fail "shards beside other files failed"; cat stderr; }
run --shards shards || { fail "shards were not replaced"; cat stderr; }
[ "$(cat shards/notes.txt)" = mine ] || fail "notes.txt has changed"
[ "$(find shards -type f | wc -l)" = 4 ] || fail "in shards: $(ls shards)"

# ---- reading ------------------------------------------------------------------------------

# reads ARGUMENT..  - what is no regular file is refused on all processes, and not waited for.
cannot_read() {
    if run "$@"; then fail "$*: did not fail"; fi
    grep -q 'cannot be read: not a regular file' stderr || fail "$*: said $(cat stderr)"
}
cannot_read --input fifo
cannot_read --input folder/../fifo
mv shards/manifest.json shards/kept
mkfifo shards/manifest.json
cannot_read --input shards
rm shards/manifest.json
mv shards/kept shards/manifest.json
rm shards/shard-00001.npy
mkfifo shards/shard-00001.npy
cannot_read --input shards
if timeout 20 "$tool" show @fifo >stdout 2>stderr; then fail "a spec was read from a FIFO"; fi
grep -q 'fifo: cannot be read: not a regular file' stderr || fail "said $(cat stderr)"

# ---- killed in writing --------------------------------------------------------------------

# A run that is killed leaves a temporary file and a lock that nobody holds.
echo old >killed.npy
echo part >killed.npy.00000000000000ab.part
printf 00000000000000ab >killed.npy.redist.lock
echo other >killed.npy.00000000000000ac.part # of no lock: somebody else's
run --output killed.npy || { fail "a dead run's lock is in the way"; cat stderr; }
[ ! -e killed.npy.00000000000000ab.part ] || fail "what a killed run left is still there"
[ -e killed.npy.00000000000000ac.part ] || fail "a file that no lock names was removed"
[ ! -e killed.npy.redist.lock ] || fail "the lock is still there"

# A name that can be guessed may be another's: nothing is written to what it leads to.
echo precious >precious
for link in ln 'ln -s'; do
    $link precious guessed.npy.redist.lock
    if run --output guessed.npy; then fail "$link: the lock was another file"; fi
    grep -q 'guessed.npy: cannot be written' stderr || fail "$link: said $(cat stderr)"
    [ "$(cat precious)" = precious ] || fail "$link: another file was overwritten"
    rm guessed.npy.redist.lock
done

# A living one holds it.
echo old >busy.npy
echo part >busy.npy.00000000000000ab.part
printf 00000000000000ab >busy.npy.redist.lock
exec 9>>busy.npy.redist.lock
flock 9
if run --output busy.npy; then fail "a file that another run is writing was replaced"; fi
grep -q 'busy.npy: cannot be written: another run is writing it' stderr ||
    fail "said $(cat stderr)"
[ "$(cat busy.npy)" = old ] || fail "busy.npy has changed"
[ -e busy.npy.00000000000000ab.part ] || fail "a living run's file was removed"
exec 9>&-
run --output busy.npy || { fail "the lock outlived its run"; cat stderr; }
[ ! -e busy.npy.00000000000000ab.part ] || fail "what it left is still there"
conclude
