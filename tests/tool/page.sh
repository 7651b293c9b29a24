#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist page: a copy of the installed explorer, with its first texts; and what it says where
# there is none.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mkdir -p "$scratch/bin" "$scratch/share/redist"
cp "$tool" "$scratch/bin/redist"
tool=$scratch/bin/redist
page=$scratch/share/redist/explorer.html
cd "$scratch" || exit 1

"$tool" page >said 2>&1
if [ $? -ne 0 ]; then # none is installed
    grep -q '^redist: the explorer is not installed: there is no /.*/redist/explorer.html; ' said ||
        fail "without an explorer: $(cat said)"
    [ ! -e redist.html ] || fail "without an explorer there is a redist.html"
fi

echo 'no explorer' >"$page"
expect not_an_explorer 1 page <<'END'
redist: the installed explorer has no place for texts
END
[ ! -e redist.html ] || fail "of a wrong explorer there is a redist.html"

explorer=${REDIST_BUILD_DIR:?the folder of the build}/page/explorer.html
if [ -e "$explorer" ]; then
    cp "$explorer" "$page"
else
    printf '<script type="application/json" id="preset">{}</script>\n' >"$page"
fi
holds the_page "$tool" page
holds is_a_copy cmp "$page" redist.html

source='[240] (cyclic( 3)) onto 16' target='[240] (cyclic(5)) onto 16'
holds with_texts "$tool" page "$source" "$target" -o plan.html
grep -q 'id="preset">{"source": "\[240\] (cyclic(3)) onto 16", "target": "\[240\] (cyclic(5)) onto 16"}<' \
    plan.html || fail "the texts are not in the page"
"$tool" page "$source" "$target" --output - >printed || fail "to stdout it fails"
holds printed_is_written cmp plan.html printed
echo "$source" >text
"$tool" page @text "$target" -o - | cmp - plan.html || fail "the text of a file is another"

expect one_text 2 page "$source" <<'END'
redist page: 1 argument beside the options, must be two or none; a text with brackets needs quotes
redist page --help says what there is.
END
expect no_text 1 page '[240] (blokc) onto 16' "$target" <<'END'
redist: source: column 8: expected *, block, cyclic, gen_block or indirect, found "blokc" (did you mean block?)
END
"$tool" page '[241] (block) onto 16' "$target" -o other.html 2>said && fail "no pair is taken"
grep -q 241 said || fail "of no pair it says $(cat said)"
[ ! -e other.html ] || fail "of no pair there is a page"
"$tool" page -o nowhere/page.html 2>said && fail "it writes into no folder"
grep -q nowhere/page.html said || fail "of no folder it says $(cat said)"
expect no_letter 2 page -x <<'END'
redist page: there is no option -x
redist page --help says what there is.
END
expect no_argument 2 page -o <<'END'
redist page: option -o needs an argument
redist page --help says what there is.
END
conclude
