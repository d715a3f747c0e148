// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may do what to whom. With CAP_SYS_ADMIN: anything. Others: to their own.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/rcupdate.h>

#include "authority.h"

struct gtrace_authority gtrace_authority_of_current(void)
{
	return (struct gtrace_authority){
		.uid = current_uid(),
		.euid = current_euid(),
		.admin = capable(CAP_SYS_ADMIN),
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
