// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"

void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

struct bpf_program *attach(const char *path, const char *name, struct bpf_object **object)
{
	struct bpf_program *program;

	*object = bpf_object__open_file(path, NULL);
	if (!*object)
		die(path);
	bpf_object__for_each_program(program, *object)
		bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), name));
	if (bpf_object__load(*object))
		die(name);
	program = bpf_object__find_program_by_name(*object, name);
	if (!program || !bpf_program__attach(program))
		die(name);
	return program;
}
