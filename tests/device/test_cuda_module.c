/* SPDX-License-Identifier: MIT
 *
 * The module for CUDA devices (src/cuda) as it is built: it loads without CUDA's driver,
 * has this library's interface, and where there is no device says so.
 *
 *     test_cuda_module MODULE
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "move/driver/driver.h"

static int failed(const char *what)
{
    (void)fprintf(stderr, "FAIL: %s\n", what);
    return 1;
}

int main(int argc, char **argv)
{
    const struct device_driver *(*function)(void) = NULL;
    void *module = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL, *opened = NULL;
    if (!module) return failed(argc == 2 ? dlerror() : "no module is given");
    void *found = dlsym(module, "redist_device_driver");
    if (!found) return failed("redist_device_driver is not there");
    memcpy(&function, &found, sizeof function);
    const struct device_driver *driver = function();
    if (driver->version != DEVICE_DRIVER_VERSION) return failed("another version");
    if (strcmp(driver->name, "CUDA") != 0) return failed(driver->name);
    if (driver->place(&argc).place != DEVICE_HOST)
        return failed("a local variable's place");
    int code = driver->open(NULL, &opened);
    if (code == 0) {
        driver->close(opened);
        printf("PASS: a device is there\n");
        return 0;
    }
    const char *sentence = driver->message(code);
    if (!sentence || !strstr(sentence, "CUDA")) return failed("no sentence");
    printf("PASS: %s\n", sentence);
    return 0;
}
