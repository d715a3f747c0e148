# SPDX-License-Identifier: Apache-2.0
#
# The front door. Every target sets up by itself what it needs; see "make help".
HARNESS := integration-tests/harness
PACKAGING := packaging
# The kernel to build and test for: 6.1, 6.12, newest, debug or kcsan; for deb-module and rpm-module also what uname -r says.
KERNEL ?= 6.1
# How many guests' test classes "make test" runs side by side.
FORKS ?= 2
# Seconds of workload in the demo.
DURATION ?= 30
# Where the demo of the web front end is shown, and how much magnetd publishes in it: heartbeat, summary, full.
PORT ?= 8080
LEVEL ?= full

help:
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

demo: kmod tools java ## Show what the sensor sees, and gmond's own metrics do not (DURATION=30)
	@integration-tests/demo/run $(DURATION)

demo-web: kmod tools java ## Show magnet's graphs in Ganglia's web front end, on a loopback address (PORT=8080, LEVEL=full)
	@integration-tests/demo/run-web $(PORT) $(LEVEL)

test: ## Check formatting, analyse, and run all tests (FORKS=2 classes of guest tests side by side)
	@MAGNET_KERNEL=$(KERNEL) MAGNET_FORKS=$(FORKS) $(HARNESS)/run-tests

test-long: ## Run the tests that take too long for every day
	@MAGNET_KERNEL=$(KERNEL) $(HARNESS)/run-tests long

test-web: ## Open each report, clusters of three guests in Ganglia's web front end, and magnet view with a browser; pictures in build/web
	@MAGNET_KERNEL=$(KERNEL) $(HARNESS)/run-tests web

test-debug-kernel: ## Run the guest tests on a kernel with KASAN, lockdep and kmemleak
	@$(HARNESS)/run-tests debug-kernel

test-kcsan-kernel: ## Run the module's guest tests on a kernel with KCSAN, which finds data races
	@$(HARNESS)/run-tests kcsan-kernel

test-kernels: ## Build for and test on Debian's 6.1, 6.12 and newest kernels, build for arm64
	@$(HARNESS)/run-tests kernels

test-arm64: ## Run the module's guest tests on arm64, Debian's 6.1 kernel in an emulated machine
	@$(HARNESS)/run-tests arm64

bench: kmod tools java ## All benchmarks, beside other tracers where there are, and one report, build/bench/report.md; fails above the limits
	@integration-tests/bench/all $(KERNEL)

bench-events: kmod tools java ## Count an event's instructions, step by step; fails above the limits
	@integration-tests/bench/run $(KERNEL)

bench-peers: kmod tools java ## Measure magnet beside LTTng, ftrace, perf, bpftrace and BPF; tables and charts in build/bench/peers
	@integration-tests/bench/peers/run $(KERNEL)

bench-scale: kmod tools ## Count an event's instructions by the number of processors, points and rules; fails if it grows with the first two
	@integration-tests/bench/scale $(KERNEL)

bench-report: kmod tools java ## Compare the rate of magnet report with others'; fails below ten times babeltrace2's
	@integration-tests/bench/report-rate

bench-service: ## Measure events/s from the CPUs' files to metrics; fails if one allocates memory
	@integration-tests/bench/service-rate

bench-cost: setup java ## Measure what magnetd costs while it runs; fails above the limits
	@integration-tests/bench/service-cost

bench-cluster: setup java ## Measure gmond and gmetad with the packets of 100, 300 and 1000 nodes; fails when one is lost
	@integration-tests/bench/cluster

fuzz: ## Let the fuzzers look for new inputs, a minute for each (FUZZ='ConfigFuzzTest RuleFuzzTest')
	@$(HARNESS)/fuzz $(FUZZ)

setup: ## Install build tools, fetch the kernel and the guest's packages
	@$(HARNESS)/setup $(KERNEL)

kmod: setup ## Build magnet.ko in build/kmod/KERNEL
	@$(HARNESS)/quietly kmod "building the module" $(HARNESS)/build-kmod $(KERNEL)

tools: setup ## Build the C programs in build/tools
	@$(HARNESS)/quietly tools "building the C programs" $(HARNESS)/build-tools

java: setup ## Package the service
	@$(HARNESS)/quietly java "building the service" $(HARNESS)/build-java

deb: java ## Build the Debian packages in build/deb
	@$(PACKAGING)/build-deb

rpm: java ## Build the RPM packages in build/rpm
	@$(PACKAGING)/build-rpm

deb-module: ## Build a Debian package of the module alone, compiled for KERNEL (uname -r of the nodes) and signed: docs/rollout.md
	@$(PACKAGING)/build-module deb $(KERNEL)

rpm-module: ## The same as an RPM package
	@$(PACKAGING)/build-module rpm $(KERNEL)

test-packages: deb rpm ## Install, use, upgrade and purge the packages on Debian 12 machines in guests; pictures in build/web/installed
	@$(HARNESS)/run-tests packages

format: ## Format the Java sources
	@mvn -q -B -ntp spotless:apply

clean: ## Delete what was built; keep what was downloaded
	rm -rf build/kmod build/tools build/ring build/log build/demo build/web build/bench build/deb build/rpm build/deb-module build/rpm-module build/module build/guest/keys build/guest/run-* build/guest/initramfs build/java.stamp* */target

distclean: clean ## Delete what was downloaded, too
	rm -rf build

.PHONY: help demo demo-web test test-long test-web test-debug-kernel test-kcsan-kernel test-kernels test-arm64 bench bench-events bench-peers bench-scale bench-report bench-service bench-cost bench-cluster fuzz deb rpm deb-module rpm-module test-packages setup kmod tools java format clean distclean
.NOTPARALLEL:
