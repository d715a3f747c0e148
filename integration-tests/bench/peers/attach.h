/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ATTACH_H
#define ATTACH_H

#include <bpf/libbpf.h>

/* Says what failed and why, by errno, and exits with 1. */
void die(const char *what) __attribute__((noreturn));

/* Loads this one of the programs of an object file, and attaches it until the process ends. */
struct bpf_program *attach(const char *path, const char *name, struct bpf_object **object);

#endif
