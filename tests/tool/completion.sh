#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Completion: what bash, and zsh and fish where they are installed, offer is what the help
# has: all subcommands, all options of each, the values of some, and files where they go.
# shellcheck disable=SC2034 # what the completion reads and sets
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
subcommands=$("$tool" --help | grep -oP '^  redist \K[a-z]+')
options_of() { "$tool" "$1" --help | grep -oP '^  --\K[a-z]+'; }
mkdir "$scratch/here" && cd "$scratch/here" || exit 1
mkdir folder
touch a.npy 'b c.npy' spec.txt
for shell in bash zsh fish; do
    holds "$shell: the script" "$tool" completion "$shell" >redist.$shell
done

expect 'no shell' 2 completion csh <<'END'
redist completion: the shell is "csh", must be bash, zsh or fish
redist completion --help says what there is.
END
"$tool" completion bash >/dev/full 2>full.txt && fail 'a full disk goes unseen'

# offers SHELL WORD..  - what is offered for the last word, sorted.
offers_bash() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _redist
    printf '%s\n' "${COMPREPLY[@]}" | sort
}
offers_fish() { fish -c "source redist.fish; complete -C '$*'" | cut -f 1 | sort; }

# same SHELL EXPECTED WORD..  - the shell offers these, with spaces between.
same() {
    local shell=$1 expected=$2 found
    shift 2
    found=$(offers_$shell "$@" | tr '\n' ' ' | sed 's/ *$//')
    [ "$found" = "$expected" ] || fail "$shell: $* offers '$found', not '$expected'"
}
sorted() { sort | tr '\n' ' ' | sed 's/ *$//'; }

. ./redist.bash
check_shell() {
    local shell=$1 subcommand
    for subcommand in $subcommands; do
        same "$shell" "$({ options_of "$subcommand"; echo help; } | sed 's/^/--/' | sorted)" \
            redist "$subcommand" --
    done
    same "$shell" 'always auto' redist show --color a
    same "$shell" 'column-major' redist copy --order c
    same "$shell" 'bash fish zsh' redist completion ''
    same "$shell" 'schedule show' redist s
}
check_shell bash
same bash "$(sorted <<<"$subcommands")" redist ''
same bash '--help --version' redist -
same bash 'a.npy' redist info a
same bash 'a.npy' redist run x y --input a
same bash 'folder' redist run x y --shards ''
same bash '@spec.txt' redist show @s
same bash '' redist show spec
same bash '' redist schedule --rank ''
same bash 'auto' redist show --color = au
same bash 'aggregated alltoallv alltoallw auto' redist run --strategy a
same bash 'window\(4\)' redist run --strategy wi
same bash 'timeline' redist schedule --schedule time

if command -v fish >/dev/null; then
    export HOME=$PWD
    check_shell fish
    same fish 'a.npy' redist info a
    same fish 'folder/' redist run x y --shards f
    same fish 'window(4)' redist run --strategy wi
    fish -c "source redist.fish; complete -C 'redist show --co'" |
        grep -q 'auto (a terminal in colour)' || fail 'fish: no description'
else
    echo 'fish is not here'
fi

# In zsh what is handed to its own _arguments.
if command -v zsh >/dev/null; then
    zsh -n redist.zsh || fail 'zsh: the syntax'
    cat >stub.zsh <<'END'
compdef() { }
source ./redist.zsh
_describe() { print -l -- "${(@P)2}" }
_arguments() {
    if [[ $1 == -C ]]; then state=$given; line=($subcommand); else print -rl -- "$@"; fi
}
given=$1 subcommand=$2
_redist
END
    for subcommand in $subcommands; do
        zsh -f stub.zsh rest "$subcommand" >zsh.txt
        grep -oP '^--\K[a-z]+' zsh.txt | sort >options.txt
        { options_of "$subcommand"; echo help; } | sort | diff - options.txt ||
            fail "zsh: other options of $subcommand"
        zsh -f stub.zsh subcommand '' | grep -q "^$subcommand:" || fail "zsh: no $subcommand"
    done
    zsh -f stub.zsh rest show | grep -qF ':WHEN:(auto always never)' || fail 'zsh: no values'
    zsh -f stub.zsh rest run | grep -qF 'window\(4\)' || fail 'zsh: no strategies'
    zsh -f stub.zsh rest run | grep -q '^--input=.*:FILE:_files$' || fail 'zsh: no files'
    zsh -f stub.zsh rest run | grep -q '^--shards=.*:DIR:_files -/$' || fail 'zsh: no folders'
else
    echo 'zsh is not here'
fi
conclude
