# SPDX-License-Identifier: GPL-2.0-only
# For compat.h: what the compiler can't ask of a kernel's headers by itself.
ccflags-$(if $(shell grep -hw ftrace_regs_get_argument $(srctree)/include/linux/ftrace_regs.h $(srctree)/arch/$(SRCARCH)/include/asm/ftrace.h 2>/dev/null),y) += -DMAGNET_HAS_FTRACE_REGS_GET_ARGUMENT
ccflags-$(if $(shell grep -w hrtimer_setup $(srctree)/include/linux/hrtimer.h),y) += -DMAGNET_HAS_HRTIMER_SETUP
ccflags-$(if $(shell grep -w register_syscore $(srctree)/include/linux/syscore_ops.h),y) += -DMAGNET_HAS_SYSCORE
ccflags-$(if $(wildcard $(srctree)/include/trace/events/exceptions.h),y) += -DMAGNET_HAS_TRACE_EVENTS_EXCEPTIONS
ccflags-$(if $(shell grep -w __def_gfpflag_names_kasan $(srctree)/include/trace/events/mmflags.h),y) += -DMAGNET_HAS_GFP_NAMES_KASAN
