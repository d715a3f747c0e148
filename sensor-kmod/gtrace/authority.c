// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may do what to whom. With CAP_SYS_ADMIN: anything. Others: to their own.
 *
 * An order is the opener's. Whoever writes may have been made to: a set-user-id program writes its
 * messages into any file that it inherits.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/rcupdate.h>

#include "authority.h"

/**
 * gtrace_authority_of() - who gives an order
 * @file: /dev/gtrace; the caller writes to it
 */
struct gtrace_authority gtrace_authority_of(const struct file *file)
{
	const bool opener_is_admin = file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN);

	return (struct gtrace_authority){
		.uid = file->f_cred->uid,
		.euid = file->f_cred->euid,
		.admin = opener_is_admin && capable(CAP_SYS_ADMIN),
		.opener_is_admin = opener_is_admin,
	};
}

/* Orders to a task. Under &gtrace_lock. */
bool gtrace_may_order(const struct gtrace_authority *who, const struct gtrace_task *task)
{
	return who->admin || uid_eq(who->euid, task->owner);
}

/*
 * Bringing a process into a task, for its whole life and its children's: as with ptrace(2), all of
 * its users have to be this one.
 */
bool gtrace_may_add(const struct gtrace_authority *who, struct task_struct *task)
{
	const struct cred *its;
	bool may;

	rcu_read_lock();
	its = __task_cred(task);
	may = who->admin || (uid_eq(who->euid, its->euid) && uid_eq(who->euid, its->suid) &&
			     uid_eq(who->euid, its->uid));
	rcu_read_unlock();
	return may;
}

/*
 * Bringing oneself into a task. A scheduler's child may have another user already when it writes
 * into the file that it inherited.
 */
bool gtrace_may_enter(const struct gtrace_authority *who)
{
	return who->opener_is_admin || gtrace_may_add(who, current);
}

/*
 * As kill(2) has it. A program that is set-user-id may have become somebody else's since it came
 * into the task.
 */
bool gtrace_may_signal(const struct gtrace_authority *who, struct task_struct *task)
{
	const struct cred *its;
	bool may;

	rcu_read_lock();
	its = __task_cred(task);
	may = who->admin || uid_eq(who->euid, its->suid) || uid_eq(who->euid, its->uid) ||
	      uid_eq(who->uid, its->suid) || uid_eq(who->uid, its->uid);
	rcu_read_unlock();
	return may;
}
