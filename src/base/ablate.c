/* SPDX-License-Identifier: MIT */
#include "base/ablate.h"

#ifdef REDIST_ABLATE
enum ablation ablated;
#endif
