# SPDX-License-Identifier: MIT
"""The pages of the reference: the public headers, a section for each declaration."""
import re

HEADERS = ["describe.h", "propose.h", "topology.h", "redist.h", "files.h", "checkpoint.h"]
COMMENT = re.compile(r"/\*(.*?)\*/\s*", re.S)
RULE = re.compile(r"-{4,} *(.*?) *-{4,}$")
NAME = re.compile(r"\bredist_\w+|\bREDIST_\w+")
DECLARED = re.compile(r"\b(redist_\w+)\(|^\} (redist_\w+);|^#define (REDIST_\w+)|"
                      r"^typedef [^{;]*\b(redist_\w+);", re.M)


def read(root, header):
    return (root / "include/redist" / header).read_text(encoding="utf-8")


def lines_of(comment):
    """The lines of a comment without what frames them."""
    lines = comment.strip("\n").split("\n")
    return [re.sub(r"^ ?\* ?", "", line, count=1).rstrip() for line in lines]


def blocks_of(text):
    """The comment and the code of each declaration, in order."""
    text = re.sub(r"(?ms)^#ifdef __cplusplus\n.*?^#endif\n", "", text)
    text = re.sub(r"(?m)^/\* clang-format \w+ \*/\n", "", text)
    guard = re.search(r"(?m)^#ifndef \w+_H\n#define \w+_H\n", text)
    yield text[:guard.start()], ""
    depth, block = 0, []
    for line in text[guard.end():].split("\n") + [""]:
        depth += line.count("{") - line.count("}")
        in_comment = "\n".join(block).count("/*") > "\n".join(block).count("*/")
        if line or depth > 0 or in_comment:
            block.append(line)
        elif block:
            comment, code = split("\n".join(block))
            if comment or not re.match(r"#(include|endif)", code):
                yield comment, code
            block = []


def split(block):
    """What stands before a declaration, and the declaration."""
    match = COMMENT.match(block)
    return (match[0], block[match.end():]) if match else ("", block)


def declared(code):
    """The names that a piece of a header declares."""
    bare = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    return list(dict.fromkeys(name for match in DECLARED.findall(bare)
                              for name in match if name))


def names(root):
    """All names that the reference explains."""
    return {name for header in HEADERS for _, code in blocks_of(read(root, header))
            for name in declared(code)}


def prose(lines, known):
    """Markdown of a comment: paragraphs, and what is indented as it stands."""
    out, paragraph, verbatim = [], [], []

    def link(match):
        name = match[0]
        return f"[`{name}`]({name})" if name in known else f"`{name}`"

    def flush():
        if paragraph:
            text = re.sub(r"([\\`*\[\]<>#|])", r"\\\1", " ".join(paragraph))
            out.append(NAME.sub(link, text))
        if verbatim:
            out.append("```text\n" + "\n".join(verbatim).rstrip() + "\n```")
        paragraph.clear()
        verbatim.clear()

    for line in lines:
        if line.startswith("  ") or (not line and verbatim):
            if paragraph:
                flush()
            verbatim.append(line[2:])
        elif not line:
            flush()
        else:
            if verbatim:
                flush()
            paragraph.append(line.strip())
    flush()
    return "\n\n".join(out)


def page(root, header):
    """The page of a header."""
    known = names(root)
    out, level = [f"# redist/{header}"], "##"
    for comment, code in blocks_of(read(root, header)):
        found = COMMENT.match(comment)
        lines = [line for line in lines_of(found[1]) if "SPDX" not in line] if found else []
        rule = RULE.match(" ".join(lines).strip())
        if rule:
            out.append(f"## {rule[1]}")
            level = "###"
            continue
        here = declared(code)
        out += [f"({name})=" for name in here]
        if here:
            out.append(f"{level} {', '.join(here)}")
        if lines[1:] and lines[1].startswith(f"redist/{header} - "):
            says = lines[1].split(" - ", 1)[1]
            lines[1] = says[0].upper() + says[1:]
        out.append(prose(lines, known))
        if code:
            out.append("```c\n" + code.replace("REDIST_API ", "") + "\n```")
    return "\n\n".join(part for part in out if part) + "\n"
