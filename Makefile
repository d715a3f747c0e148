# SPDX-License-Identifier: Apache-2.0
#
# The front door. Every target sets up by itself what it needs; see "make help".
HARNESS := integration-tests/harness
# The kernel to build and test for: 6.1, 6.12, newest, debug or kcsan.
KERNEL ?= 6.1
# Seconds of workload in the demo.
DURATION ?= 30

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

demo: kmod tools java ## Show what the sensor sees, and gmond's own metrics do not (DURATION=30)
	@integration-tests/demo/run $(DURATION)

test: ## Check formatting, analyse, and run all tests
	@MAGNET_KERNEL=$(KERNEL) $(HARNESS)/run-tests

test-long: ## Run the tests that take too long for every day
	@MAGNET_KERNEL=$(KERNEL) $(HARNESS)/run-tests long

test-debug-kernel: ## Run the guest tests on a kernel with KASAN, lockdep and kmemleak
	@$(HARNESS)/run-tests debug-kernel

test-kcsan-kernel: ## Run the module's guest tests on a kernel with KCSAN, which finds data races
	@$(HARNESS)/run-tests kcsan-kernel

test-kernels: ## Build for and test on Debian's 6.1, 6.12 and newest kernels, build for arm64
	@$(HARNESS)/run-tests kernels

bench: kmod tools ## Count an event's instructions; fails above the limits
	@integration-tests/bench/run $(KERNEL)

bench-report: setup java ## Compare the rate of magnet report with babeltrace2's; fails below ten times
	@integration-tests/bench/report-rate

setup: ## Install build tools, fetch the kernel and the guest's packages
	@$(HARNESS)/setup $(KERNEL)

kmod: setup ## Build magnet.ko in build/kmod/KERNEL
	@$(HARNESS)/quietly kmod "building the module" $(HARNESS)/build-kmod $(KERNEL)

tools: setup ## Build the C programs in build/tools
	@$(HARNESS)/quietly tools "building the C programs" $(HARNESS)/build-tools

java: setup ## Package the service
	@$(HARNESS)/quietly java "building the service" $(HARNESS)/build-java

format: ## Format the Java sources
	@mvn -q -B -ntp spotless:apply

clean: ## Delete what was built; keep what was downloaded
	rm -rf build/kmod build/tools build/ring build/log build/demo build/bench build/guest/run-* build/guest/initramfs build/java.stamp* */target

distclean: clean ## Delete what was downloaded, too
	rm -rf build

.PHONY: help demo test test-long test-debug-kernel test-kcsan-kernel test-kernels bench bench-report setup kmod tools java format clean distclean
.NOTPARALLEL:
