/* SPDX-License-Identifier: MIT
 *
 * tool/command/commands.c - all subcommands, in the order of the help.
 */
#include "tool/common/tool.h"

const struct command *const commands[] = {
    &command_show, &command_explain, &command_schedule,   &command_run,
    &command_copy, &command_info,    &command_bench,      &command_balance,
    &command_page, &command_doctor,  &command_completion, NULL};
