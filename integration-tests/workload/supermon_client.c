// SPDX-License-Identifier: Apache-2.0
/*
 * supermon_client PORT REQUEST: a client of Supermon made of sfsexp, the
 * library of Supermon's own authors. Sends REQUEST, which ends with Q, to
 * 127.0.0.1:PORT, parses all that comes, and prints each s-expression as an
 * array of JSON on a line of its own: lists as arrays, atoms as strings.
 *
 * It parses when all is there: sfsexp's own read_one_sexp() gives up an
 * expression that is longer than its buffer, 8 KiB.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sfsexp/sexp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int fail(const char *what)
{
	fprintf(stderr, "supermon_client: %s\n", what);
	return EXIT_FAILURE;
}

static int connected(int port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)))
		return -1;
	return fd;
}

static void print_atom(const char *atom)
{
	putchar('"');
	for (; *atom; atom++) {
		if (*atom == '"' || *atom == '\\')
			putchar('\\');
		putchar(*atom);
	}
	putchar('"');
}

static void print(const sexp_t *element)
{
	const sexp_t *each;

	if (element->ty == SEXP_VALUE) {
		print_atom(element->val);
		return;
	}
	putchar('[');
	for (each = element->list; each; each = each->next) {
		print(each);
		if (each->next)
			putchar(',');
	}
	putchar(']');
}

/* All that comes until the other side closes, with a NUL behind it. */
static char *read_all(int fd, size_t *len)
{
	size_t size = 1 << 16;
	char *text = malloc(size);
	ssize_t count = 1;

	*len = 0;
	while (text && (count = read(fd, text + *len, size - *len - 1)) > 0) {
		*len += count;
		if (size - *len < size / 2) {
			size *= 2;
			text = realloc(text, size);
		}
	}
	if (!text || count < 0)
		return NULL;
	text[*len] = 0;
	return text;
}

int main(int argc, char **argv)
{
	pcont_t *parser;
	sexp_t *expression;
	char *text;
	size_t len;
	int fd;

	if (argc != 3)
		return fail("give a port and a request");
	fd = connected(atoi(argv[1]));
	if (fd < 0)
		return fail(strerror(errno));
	len = strlen(argv[2]);
	if (write(fd, argv[2], len) != (ssize_t)len)
		return fail("cannot send the request");
	text = read_all(fd, &len);
	parser = init_continuation(text);
	if (!text || !parser)
		return fail("cannot read the answer");
	while ((expression = iparse_sexp(text, len, parser))) {
		print(expression);
		putchar('\n');
		destroy_sexp(expression);
	}
	if (parser->error != SEXP_ERR_INCOMPLETE || parser->depth || parser->lastPos) {
		fprintf(stderr, "supermon_client: sfsexp's error %d\n", parser->error);
		return EXIT_FAILURE;
	}
	return fflush(stdout) ? fail("cannot print") : EXIT_SUCCESS;
}
