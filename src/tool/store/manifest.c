/* SPDX-License-Identifier: MIT */
#include "tool/store/manifest.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/text/literal.h"
#include "tool/common/tool.h"

static const char format_name[] = "redist-shards";
enum { FORMAT_VERSION = 1, RUN_DIGITS = 16 };

void manifest_print(FILE *out, const struct manifest *manifest)
{
    (void)fprintf(
        out, "{\"format\":\"%s\",\"version\":%d,\"run\":\"%016" PRIx64 "\",\"descr\":",
        format_name, FORMAT_VERSION, manifest->run);
    tool_print_json_string(out, manifest->descr);
    (void)fprintf(out, ",\"fortran_order\":%s,\"distribution\":",
                  manifest->fortran_order ? "true" : "false");
    tool_print_json_string(out, manifest->distribution);
    (void)fprintf(out, ",\"shards\":%" PRId64 "}\n", manifest->shards);
}

/* ---- parse ------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Read `digits` hexadecimal digits; false if there are others. */
static bool read_hex(const char *text, int digits, uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0) return false;
        *value = *value << 4 | (uint64_t)digit;
    }
    return true;
}

/* Copy a JSON string without escapes. Of \u only control characters are supported; we
 * write all others as they are. */
static redist_err copy_string(struct literal_text text, char **copy)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char *block = mem_alloc(NULL, text.length + 1, 1), *out = block;
    if (!block) return REDIST_ERR_MEMORY;
    const char *end = text.begin + text.length;
    for (const char *c = text.begin; c < end; c++) {
        const char *letter = NULL;
        uint64_t code = 0;
        if (*c != '\\')
            *out++ = *c;
        else if (*++c == 'u' && end - c > 4 && read_hex(c + 1, 4, &code) && code < 0x80 &&
                 code > 0)
            *out++ = (char)code, c += 4;
        else if (*c && (letter = strchr(letters, *c)))
            *out++ = meanings[letter - letters];
        else {
            mem_free(block);
            return error_set(REDIST_ERR_IO, "escape \\%c is not known", *c);
        }
    }
    *copy = block;
    return REDIST_OK;
}

/* JSON's strings have only "". */
static redist_err read_text(struct literal *in, struct literal_text *text)
{
    return literal_at(in, '"') ? literal_string(in, text)
                               : literal_expected(in, "a string in \"\"");
}

static redist_err read_string(struct literal *in, char **copy)
{
    struct literal_text text;
    TRY(read_text(in, &text));
    return copy_string(text, copy);
}

static redist_err read_run(struct literal *in, struct manifest *manifest)
{
    struct literal_text text;
    TRY(read_text(in, &text));
    if (text.length == RUN_DIGITS && read_hex(text.begin, RUN_DIGITS, &manifest->run))
        return REDIST_OK;
    return error_set(REDIST_ERR_IO, "run must be %d hexadecimal digits", RUN_DIGITS);
}

static redist_err read_bool(struct literal *in, bool *value)
{
    *value = literal_word(in, "true");
    return *value || literal_word(in, "false") ? REDIST_OK
                                               : literal_expected(in, "true or false");
}

static redist_err read_format(struct literal *in)
{
    struct literal_text text;
    TRY(read_text(in, &text));
    if ((size_t)text.length == strlen(format_name) &&
        memcmp(text.begin, format_name, strlen(format_name)) == 0)
        return REDIST_OK;
    return error_set(REDIST_ERR_IO, "format must be %s", format_name);
}

static redist_err read_version(struct literal *in)
{
    int64_t version = 0;
    TRY(literal_integer(in, &version));
    if (version == FORMAT_VERSION) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "version is %" PRId64 ", must be %d", version,
                     FORMAT_VERSION);
}

static const char *const keys[] = {"format",        "version",      "run",   "descr",
                                   "fortran_order", "distribution", "shards"};
enum { NKEYS = sizeof keys / sizeof *keys };

static redist_err read_value(struct literal *in, int key, struct manifest *manifest)
{
    switch (key) {
        case 0: return read_format(in);
        case 1: return read_version(in);
        case 2: return read_run(in, manifest);
        case 3: return read_string(in, &manifest->descr);
        case 4: return read_bool(in, &manifest->fortran_order);
        case 5: return read_string(in, &manifest->distribution);
        default: return literal_integer(in, &manifest->shards);
    }
}

static redist_err read_entry(struct literal *in, bool found[], struct manifest *manifest)
{
    struct literal_text name;
    TRY(read_text(in, &name));
    TRY(literal_expect(in, ':'));
    for (int key = 0; key < NKEYS; key++) {
        bool is_it = (size_t)name.length == strlen(keys[key]) &&
                     memcmp(name.begin, keys[key], (size_t)name.length) == 0;
        if (!is_it) continue;
        if (found[key]) return error_set(REDIST_ERR_IO, "%s is there twice", keys[key]);
        found[key] = true;
        return read_value(in, key, manifest);
    }
    return error_set(REDIST_ERR_IO, "\"%.*s\" is not a key of a manifest",
                     (int)(name.length < 40 ? name.length : 40), name.begin);
}

static redist_err read_object(struct literal *in, struct manifest *manifest)
{
    bool found[NKEYS] = {false};
    TRY(literal_expect(in, '{'));
    do {
        TRY(read_entry(in, found, manifest));
    } while (literal_char(in, ','));
    TRY(literal_expect(in, '}'));
    if (literal_more(in)) return literal_expected(in, "the end");
    for (int key = 0; key < NKEYS; key++) {
        if (!found[key]) return error_set(REDIST_ERR_IO, "\"%s\" is missing", keys[key]);
    }
    return REDIST_OK;
}

redist_err manifest_parse(const char *text, int64_t size, struct manifest *manifest)
{
    struct literal in = {text, text + size};
    *manifest = (struct manifest){0};
    redist_err err = read_object(&in, manifest);
    if (err) manifest_free(manifest);
    return err;
}

void manifest_free(struct manifest *manifest)
{
    mem_free(manifest->descr);
    mem_free(manifest->distribution);
    manifest->descr = manifest->distribution = NULL;
}
