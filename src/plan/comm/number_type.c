/* SPDX-License-Identifier: MIT */
#include <redist/redist.h>

#include "move/mpi/check.h"
#include "plan/comm/keyval.h"
#include "plan/comm/number.h"

static redist_err make_keyval(int *keyval)
{
    return mpi_call(
        MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, keyval, NULL));
}

static struct keyval formats = {MPI_KEYVAL_INVALID, make_keyval, MPI_Type_free_keyval};

struct format number_type_format(MPI_Datatype type)
{
    void *code = NULL;
    int found = 0, key = atomic_load(&formats.key);
    if (key != MPI_KEYVAL_INVALID && type != MPI_DATATYPE_NULL)
        MPI_Type_get_attr(type, key, &code, &found);
    return format_of_code(found ? (int)(intptr_t)code : 0);
}

MPI_Datatype number_type_of(const struct format *format)
{
    const bool is_four = format->bytes == 4, is_signed = format->kind == FORMAT_SIGNED;
    if (format->swapped || format->kind == FORMAT_NONE || format->kind == FORMAT_BRAIN)
        return MPI_DATATYPE_NULL;
    if (format->complex) return is_four ? MPI_C_FLOAT_COMPLEX : MPI_C_DOUBLE_COMPLEX;
    if (format->kind == FORMAT_FLOAT)
        return format->bytes == 2 ? MPI_DATATYPE_NULL : is_four ? MPI_FLOAT : MPI_DOUBLE;
    switch (format->bytes) {
        case 1: return is_signed ? MPI_INT8_T : MPI_UINT8_T;
        case 2: return is_signed ? MPI_INT16_T : MPI_UINT16_T;
        case 4: return is_signed ? MPI_INT32_T : MPI_UINT32_T;
        default: return is_signed ? MPI_INT64_T : MPI_UINT64_T;
    }
}

/* Make the bytes of a format. */
static redist_err make_bytes(const struct format *format, MPI_Datatype *type)
{
    MPI_Datatype own = number_type_of(format);
    if (own != MPI_DATATYPE_NULL) return mpi_call(MPI_Type_dup(own, type));
    return mpi_call(MPI_Type_contiguous((int)format_size(format), MPI_BYTE, type));
}

/* Name a type and mark it with its format. */
static redist_err mark(const struct format *format, MPI_Datatype type)
{
    int key = MPI_KEYVAL_INVALID;
    char name[FORMAT_NAME];
    format_print(format, name);
    TRY(keyval_find(&formats, &key));
    TRY(mpi_call(MPI_Type_set_attr(type, key, (void *)(intptr_t)format_code(format))));
    TRY(mpi_call(MPI_Type_set_name(type, name)));
    return mpi_call(MPI_Type_commit(&type));
}

redist_err redist_type_create(const char *text, MPI_Datatype *type)
{
    struct format format = {.kind = FORMAT_NONE};
    if (!text) return error_arg("text is NULL");
    if (!type) return error_arg("type is NULL");
    if (!format_parse(text, &format))
        return error_arg(
            "text is \"%.40s\", must be i1, i2, i4, i8, u1, u2, u4, u8, f2, "
            "f4, f8, c8, c16 or bf16, after <, > or nothing (| if it has one "
            "byte)",
            text);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    TRY(make_bytes(&format, &made));
    redist_err err = mark(&format, made);
    if (err)
        (void)MPI_Type_free(&made);
    else
        *type = made;
    return err;
}
