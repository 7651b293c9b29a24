#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The man page has all that the tool's help has: each option of each subcommand in the
# synopsis and in the description, and each variable that the library or the tool reads.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
page=$REDIST_SOURCE_DIR/docs/man/redist.1
subcommands='show explain schedule run copy info bench balance page doctor completion'

# The part of a subcommand in the synopsis, and in the description.
synopsis() {
    awk -v of="$1" '/^\.Sh/ { inside = $2 == "SYNOPSIS" }
        $0 == ".Nm" { at = 0 }
        inside && /Cm [a-z]+( |$)/ && !/^\.Op/ { at = index($0 " ", "Cm " of " ") > 0 }
        inside && at' "$page"
}
description() {
    awk -v of="$1" -v all="$subcommands" '/^\.Sh/ { inside = $2 == "DESCRIPTION" }
        inside && /^\.It Cm [a-z]+/ && index(" " all " ", " " $3 " ") { at = $3 == of }
        inside && at && /^\.It (Fl|Cm)/' "$page"
}

for subcommand in $subcommands; do
    options=$("$tool" $subcommand --help | grep -o '^  --[a-z]*' | tr -d ' ')
    [ -n "$options$(grep -x completion <<<"$subcommand")" ] ||
        fail "$subcommand: the help has no options"
    for part in synopsis description; do
        $part $subcommand | grep -q . || fail "$subcommand is not in the $part"
    done
    for option in $options; do
        for part in synopsis description; do
            $part $subcommand | grep -q -- "Fl -${option#--}\b" ||
                fail "$subcommand: $option is not in the $part"
        done
    done
    for option in $(synopsis $subcommand | grep -o 'Fl -[a-z]*' | sed 's/Fl -/--/'); do
        grep -q -- "^$option$" <<<"$options" || fail "$subcommand: there is no $option"
    done
done

variables=$(grep -rhoE '"REDIST_[A-Z_]+"' "$REDIST_SOURCE_DIR"/src/{plan,move,files,tool} |
    sort -u)
for variable in $variables; do
    grep -q "^\.It Ev.*${variable//\"/}\b" "$page" || fail "$variable is not in the page"
done
conclude
