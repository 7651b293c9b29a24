/* SPDX-License-Identifier: MIT
 *
 * Headers of .npy files: those that NumPy writes, byte for byte, and those that are
 * wrong.
 */
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include "base/error.h"
#include "base/mem.h"
#include "files/format/dtype.h"
#include "files/format/npy.h"

/* A whole header of version `major`.0 around a dict. */
struct header {
    char bytes[70000];
    int64_t size;
};

static void make_header(int major, const char *dict, struct header *header)
{
    int prefix = major == 1 ? 10 : 12;
    int64_t length = (int64_t)strlen(dict);
    memcpy(header->bytes, "\x93NUMPY", 6);
    header->bytes[6] = (char)major;
    for (int i = 7; i < prefix; i++)
        header->bytes[i] = (char)(i < 8 ? 0 : length >> 8 * (i - 8));
    memcpy(header->bytes + prefix, dict, (size_t)length);
    header->size = prefix + length;
}

static redist_err parse(int major, const char *dict, struct npy *npy)
{
    static struct header header;
    int64_t size = 0;
    make_header(major, dict, &header);
    ok(npy_header_bytes(header.bytes, 12, &size));
    assert_int_equal(size, header.size);
    return npy_parse(header.bytes, size, npy);
}

/* ---- what NumPy writes ------------------------------------------------------------- */

/* The dict and the size of the header as numpy.save 1.24 writes them. */
static const struct {
    const char *descr;
    bool fortran_order;
    int ndims;
    int64_t shape[3];
    int64_t element_bytes, size;
    const char *dict;
} written[] = {
    {"<f8",
     false,
     2,
     {3, 4},
     8,
     128,
     "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }"},
    {">i4",
     true,
     2,
     {3, 4},
     4,
     128,
     "{'descr': '>i4', 'fortran_order': True, 'shape': (3, 4), }"},
    {"|b1",
     false,
     0,
     {0},
     1,
     128,
     "{'descr': '|b1', 'fortran_order': False, 'shape': (), }"},
    {"<U5",
     false,
     1,
     {5},
     20,
     128,
     "{'descr': '<U5', 'fortran_order': False, 'shape': (5,), }"},
    {"<M8[25s]",
     false,
     1,
     {2},
     8,
     128,
     "{'descr': '<M8[25s]', 'fortran_order': False, 'shape': (2,), }"},
    {"[('a', '<f4'), ('b', '<i8', (3,))]",
     false,
     1,
     {5},
     28,
     128,
     "{'descr': [('a', '<f4'), ('b', '<i8', (3,))], 'fortran_order': False, "
     "'shape': (5,), }"},
    {"[(('title', 'n'), '<f4'), ('b', [('x', '|u1'), ('y', '|S3', (2, 2))])]",
     false,
     1,
     {5},
     17,
     192,
     "{'descr': [(('title', 'n'), '<f4'), ('b', [('x', '|u1'), ('y', '|S3', (2, 2))])], "
     "'fortran_order': False, 'shape': (5,), }"},
};
enum { NWRITTEN = sizeof written / sizeof *written };

static void headers_of_numpy_are_read(void **state)
{
    for (int i = 0; i < NWRITTEN; i++) {
        for (int major = 1; major <= 3; major++) {
            struct npy npy;
            ok(parse(major, written[i].dict, &npy));
            assert_string_equal(npy.descr, written[i].descr);
            assert_int_equal(npy.fortran_order, written[i].fortran_order);
            assert_int_equal(npy.ndims, written[i].ndims);
            assert_int_equal(npy.element_bytes, written[i].element_bytes);
            int64_t bytes = written[i].element_bytes;
            for (int k = 0; k < npy.ndims; k++) {
                assert_int_equal(npy.shape[k], written[i].shape[k]);
                bytes *= npy.shape[k];
            }
            assert_int_equal(npy.data_bytes, bytes);
            npy_free(&npy);
        }
    }
}

static void headers_are_written_as_numpy_does(void **state)
{
    for (int i = 0; i < NWRITTEN; i++) {
        struct npy npy;
        char *text = NULL;
        ok(npy_make(written[i].descr, written[i].fortran_order, written[i].ndims,
                    written[i].shape, &npy));
        ok(npy_print(&npy, &text));
        assert_int_equal(npy.data_begin, written[i].size);
        int64_t length = (int64_t)strlen(written[i].dict);
        assert_memory_equal(text, "\x93NUMPY\x01\x00", 8);
        assert_int_equal((unsigned char)text[8] + 256 * (unsigned char)text[9],
                         npy.data_begin - 10);
        assert_memory_equal(text + 10, written[i].dict, (size_t)length);
        for (int64_t k = 10 + length; k < npy.data_begin - 1; k++)
            assert_int_equal(text[k], ' ');
        assert_int_equal(text[npy.data_begin - 1], '\n');
        mem_free(text);
        npy_free(&npy);
    }
}

/* NumPy leaves room for 21 digits and always at least the newline and one to 64
 * spaces, so the size jumps where a dict just fits. */
static void data_begins_at_a_multiple_of_64_for_every_length(void **state)
{
    for (int n = 1; n < 200; n++) {
        char descr[256];
        struct npy npy;
        char *text = NULL;
        int64_t shape = 7;
        (void)snprintf(descr, sizeof descr, "[('%0*d', '<f4')]", n, 0);
        ok(npy_make(descr, false, 1, &shape, &npy));
        ok(npy_print(&npy, &text));
        int64_t length =
            (int64_t)strlen("{'descr': , 'fortran_order': False, 'shape': (7,), }") +
            (int64_t)strlen(descr) + 20;
        int64_t unpadded = 10 + length + 1;
        assert_int_equal(npy.data_begin, unpadded + 64 - unpadded % 64);
        mem_free(text);
        npy_free(&npy);
    }
}

static void long_headers_are_of_version_2_and_others_than_ascii_of_version_3(void **state)
{
    static char descr[70000];
    struct npy npy, again;
    char *text = NULL;
    int64_t shape = 7;
    (void)snprintf(descr, sizeof descr, "[('%066000d', '<f4')]", 0);
    ok(npy_make(descr, false, 1, &shape, &npy));
    ok(npy_print(&npy, &text));
    assert_int_equal(text[6], 2);
    ok(npy_parse(text, npy.data_begin, &again));
    assert_string_equal(again.descr, descr);
    mem_free(text);
    npy_free(&npy);
    npy_free(&again);

    /* e with an acute accent: Latin-1 in version 1, UTF-8 in version 3 */
    ok(parse(1, "{'descr': [('\xe9', '|u1')], 'fortran_order': False, 'shape': (7,)}",
             &npy));
    assert_string_equal(npy.descr, "[('\xc3\xa9', '|u1')]");
    ok(npy_make(npy.descr, false, 1, &shape, &again));
    ok(npy_print(&again, &text));
    assert_int_equal(text[6], 3);
    npy_free(&npy);
    ok(npy_parse(text, again.data_begin, &npy));
    assert_string_equal(npy.descr, again.descr);
    mem_free(text);
    npy_free(&npy);
    npy_free(&again);
}

/* ---- dtypes ------------------------------------------------------------------------ */

static void every_dtype_has_its_bytes(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } known[] = {
        {"|b1", 1},
        {"|i1", 1},
        {"<u2", 2},
        {">i8", 8},
        {"<f2", 2},
        {"<f16", 16},
        {"<c8", 8},
        {"<c32", 32},
        {"|S10", 10},
        {"<U5", 20},
        {">U1", 4},
        {"|V7", 7},
        {"<m8", 8},
        {"<M8[ns]", 8},
        {"<m8[25us/3]", 8},
        {"f8", 8},
        {"=i4", 4},
        {"[('a', '<f4', 3)]", 12},
        {"[('', '|V4'), ('it\\'s', '<f8')]", 12},
        {"[('a', [('b', [('c', '<i2')], (2,))], (3, 5))]", 60},
        {"[(\"x\", '<f4'),]", 4},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int64_t bytes = 0;
        ok(dtype_bytes(known[i].text, &bytes));
        assert_int_equal(bytes, known[i].bytes);
    }
}

static void a_dtype_that_cannot_be_moved_says_why(void **state)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"|O", "dtype \"|O\" is of Python objects, which can't be moved"},
        {"[('a', '<f4'), ('b', '|O')]",
         "dtype \"|O\" is of Python objects, which can't be moved"},
        {"<f3", "dtype \"<f3\" is not supported"},
        {"<x8", "dtype \"<x8\" is not supported"},
        {"<f8[ns]", "dtype \"<f8[ns]\" is not supported"},
        {"<M8[ns", "dtype \"<M8[ns\" is not supported"},
        {"<M8[']", "dtype \"<M8[']\" is not supported"}, /* it would end the string */
        {"<M8[\x1b]", "dtype \"<M8[?]\" is not supported"},
        {"[('a\tb', '<f4')]",
         "expected a string without control characters, found 'a?b', '<f4')]"},
        {"f", "dtype \"f\" is not supported"},
        {"", "dtype \"\" is not supported"},
        {"|S0", "elements take 0 bytes, must be 1 .. 2147483647"},
        {"[]", "elements take 0 bytes, must be 1 .. 2147483647"},
        {"|V2147483648", "elements take 2147483648 bytes, must be 1 .. 2147483647"},
        {"<U9223372036854775807", "dtype \"<U9223372036854775807\" is not supported"},
        {"[('a', '<f4', (9223372036854775807,))]", "a field of more than 2^63 bytes"},
        {"[('a' '<f4')]", "expected ,, found '<f4')]"},
        {"[('a', '<f4')", "expected a comma or ], found the end"},
        {"[('a', '<f4')] ]", "expected the end of the dtype, found ]"},
        {"[('a', '<f4', (3))]", "expected a comma, found ))]"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t bytes = 0;
        assert_int_equal(dtype_bytes(wrong[i].text, &bytes), REDIST_ERR_IO);
        assert_string_equal(redist_error_message(), wrong[i].sentence);
    }
    char deep[2 * 70 * 8] = "";
    for (int i = 0; i < 70; i++) strcat(deep, "[('a', ");
    int64_t bytes = 0;
    assert_int_equal(dtype_bytes(deep, &bytes), REDIST_ERR_IO);
    assert_string_equal(redist_error_message(), "fields within fields, 64 deep");
}

/* ---- what is wrong ----------------------------------------------------------------- */

static void a_file_that_is_no_npy_file_says_so(void **state)
{
    static const struct {
        const char *bytes;
        int64_t size;
        const char *sentence;
    } wrong[] = {
        {"", 0, "not an .npy file: must begin with \\x93NUMPY"},
        {"PK\x03\x04 zip file", 12, "not an .npy file: must begin with \\x93NUMPY"},
        {"\x93NUMPY\x01", 7, "truncated: 7 bytes are no header"},
        {"\x93NUMPY\x04\x00\x10\x00\x00\x00", 12,
         ".npy version 4.0, must be 1.0, 2.0 or 3.0"},
        {"\x93NUMPY\x01\x01\x10\x00\x00\x00", 12,
         ".npy version 1.1, must be 1.0, 2.0 or 3.0"},
        {"\x93NUMPY\x02\x00\x00\x00\x00\xff", 12,
         "corrupt: a header of 4278190080 bytes, at most 16777216 are sensible"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t bytes = 0;
        assert_int_equal(npy_header_bytes(wrong[i].bytes, wrong[i].size, &bytes),
                         REDIST_ERR_IO);
        assert_string_equal(redist_error_message(), wrong[i].sentence);
    }
}

static void a_corrupt_header_says_what_is_wrong(void **state)
{
    static const struct {
        const char *dict, *sentence;
    } wrong[] = {
        {"", "header: expected {, found the end"},
        {"['descr']", "header: expected {, found ['descr']"},
        {"{'descr': '<f8', 'fortran_order': False}", "header: key 'shape' is missing"},
        {"{'fortran_order': False, 'shape': ()}", "header: key 'descr' is missing"},
        {"{'descr': '<f8', 'shape': ()}", "header: key 'fortran_order' is missing"},
        {"{'descr': '<f8', 'descr': '<f8'}",
         "header: key 'descr': must be descr, fortran_order, shape, once each"},
        {"{'order': 1}",
         "header: key 'order': must be descr, fortran_order, shape, once each"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': ()}",
         "header: expected True or False, found 0, 'shape': ()}"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3)}",
         "header: shape: expected a comma, found )}"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
         "header: shape: expected an integer of 0 .. 2^63 - 1, found -3,)}"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808,)}",
         "header: shape: expected an integer of 0 .. 2^63 - 1, found "
         "9223372036854775808,"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807,)}",
         "header: the shape takes more than 2^63 bytes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)}",
         "header: the shape takes more than 2^63 bytes"},
        {"{'descr': '<f8', 'fortran_order': False, "
         "'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)}",
         "header: shape: a tuple of more than 15 numbers"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': ()} import os",
         "header: expected white space, found import os"},
        {"{'descr: 1}", "header: expected a string that ends, found 'descr: 1}"},
        {"{'descr': '<f8' 'shape': ()}",
         "header: expected a comma or }, found 'shape': ()}"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct npy npy;
        assert_int_equal(parse(1, wrong[i].dict, &npy), REDIST_ERR_IO);
        assert_string_equal(redist_error_message(), wrong[i].sentence);
        assert_null(npy.descr);
    }
}

/* Whatever bytes stand in a header, parsing ends, in bounds. */
static void any_one_changed_byte_is_read_or_refused(void **state)
{
    static struct header header;
    int refused = 0, tried = 0;
    for (int i = 0; i < NWRITTEN; i++) {
        for (int64_t at = 0; at < (int64_t)strlen(written[i].dict); at++) {
            for (int byte = 0; byte < 256; byte += 3, tried++) {
                make_header(1, written[i].dict, &header);
                header.bytes[10 + at] = (char)byte;
                struct npy npy;
                char *exact = mem_alloc(NULL, header.size, 1); /* for the sanitizers */
                assert_non_null(exact);
                memcpy(exact, header.bytes, (size_t)header.size);
                redist_err err = npy_parse(exact, header.size, &npy);
                if (err) {
                    assert_int_equal(err, REDIST_ERR_IO);
                    refused++;
                } else {
                    npy_free(&npy);
                }
                mem_free(exact);
            }
        }
    }
    assert_in_range(refused, tried / 2, tried - 1);
}

static void a_file_shorter_than_its_shape_is_truncated(void **state)
{
    struct npy npy;
    int64_t shape[2] = {3, 4};
    ok(npy_make("<f8", false, 2, shape, &npy));
    ok(npy_check_size(&npy, 128 + 96));
    ok(npy_check_size(&npy, 128 + 96 + 32));
    assert_int_equal(npy_check_size(&npy, 128 + 95), REDIST_ERR_IO);
    assert_string_equal(redist_error_message(),
                        "truncated: its shape takes 96 bytes of data, 95 are there");
    npy_free(&npy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_numpy_are_read),
        cmocka_unit_test(headers_are_written_as_numpy_does),
        cmocka_unit_test(data_begins_at_a_multiple_of_64_for_every_length),
        cmocka_unit_test(
            long_headers_are_of_version_2_and_others_than_ascii_of_version_3),
        cmocka_unit_test(every_dtype_has_its_bytes),
        cmocka_unit_test(a_dtype_that_cannot_be_moved_says_why),
        cmocka_unit_test(a_file_that_is_no_npy_file_says_so),
        cmocka_unit_test(a_corrupt_header_says_what_is_wrong),
        cmocka_unit_test(any_one_changed_byte_is_read_or_refused),
        cmocka_unit_test(a_file_shorter_than_its_shape_is_truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
