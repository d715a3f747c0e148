// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hierarchy as folders: TASK/PID/PID/..., for "mount -t gtrace none /proc/gtrace".
 *
 * It is a file system of its own, because an entry of /proc can't be made where a process is forked
 * or ends, and can't move when a child is inherited. Here nothing is kept while nobody is in it: a
 * folder is looked up in the tree each time, so it is always true, and costs nothing.
 *
 * A folder that somebody is in stays that process's, also when the process has ended: it is empty.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/pid_namespace.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hierarchy.h"
#include "process_tree.h"

#define MAGIC		0x67747263
#define ROOT_INO	1
/* Inode numbers: above all pids, those of tasks; and those of files, for each folder one. */
#define TASK_INO	BIT(23)
#define FILE_INO	BIT(31)
#define FOLDER_MODE	(S_IFDIR | 0555)
#define FILE_MODE	(S_IFREG | 0444)

/* A folder: of all tasks (@task is 0), of a task (@pid is NULL), or of a process. */
struct place {
	u64		task;
	struct pid	*pid;
	u32		nr;
};

static struct inode *make_inode(struct super_block *sb, const struct place *place, umode_t mode);

/* ---- in the tree, under gtrace_lock ---- */

static struct gtrace_task *task_of(const struct place *place)
{
	struct gtrace_task *task;

	list_for_each_entry(task, &gtrace_tasks, list)
		if (task->id == place->task)
			return task;
	return NULL;
}

static struct gtrace_process *process_of(const struct place *place)
{
	struct gtrace_process *process = gtrace_find(place->pid);

	return process && process->task->id == place->task ? process : NULL;
}

/* The processes that are folders in this one, or NULL. */
static struct list_head *children_of(const struct place *place)
{
	struct gtrace_process *process;
	struct gtrace_task *task;

	if (place->pid) {
		process = process_of(place);
		return process ? &process->children : NULL;
	}
	task = task_of(place);
	return task ? &task->roots : NULL;
}

static bool find_task(const char *name, struct place *found)
{
	struct gtrace_task *task = gtrace_find_task(name);

	if (task)
		found->task = task->id;
	return task;
}

static bool find_child(const struct place *place, u32 nr, struct place *found)
{
	struct gtrace_process *child;
	struct pid *pid;
	bool there;

	rcu_read_lock();
	pid = find_pid_ns(nr, &init_pid_ns);
	child = pid ? gtrace_find(pid) : NULL;
	there = child && child->task->id == place->task &&
		(child->parent ? child->parent->pid : NULL) == place->pid;
	if (there)
		*found = (struct place){ place->task, get_pid(pid), nr };
	rcu_read_unlock();
	return there;
}

/* ---- looking up ---- */

static const char *file_in(const struct place *place)
{
	return place->pid ? "progname" : "state";
}

/* As readdir gives it: "017" is no pid. */
static bool is_pid(const char *name, u32 *nr)
{
	char written[16];

	if (kstrtou32(name, 10, nr))
		return false;
	snprintf(written, sizeof(written), "%u", *nr);
	return !strcmp(name, written);
}

static bool find(const struct place *in, const char *name, struct place *found)
{
	bool there = false;
	u32 nr;

	spin_lock(&gtrace_lock);
	if (!in->task)
		there = find_task(name, found);
	else if (is_pid(name, &nr))
		there = find_child(in, nr, found);
	spin_unlock(&gtrace_lock);
	return there;
}

static struct inode *look_up(struct inode *dir, const char *name)
{
	const struct place *in = dir->i_private;
	struct place found = {};
	struct inode *inode;

	if (in->task && !strcmp(name, file_in(in))) {
		found = (struct place){ in->task, get_pid(in->pid), in->nr };
		inode = make_inode(dir->i_sb, &found, FILE_MODE);
	} else if (find(in, name, &found)) {
		inode = make_inode(dir->i_sb, &found, FOLDER_MODE);
	} else {
		return ERR_PTR(-ENOENT);
	}
	if (!inode)
		put_pid(found.pid);
	return inode ?: ERR_PTR(-ENOMEM);
}

static struct dentry *hierarchy_lookup(struct inode *dir, struct dentry *dentry, unsigned int flags)
{
	struct inode *inode;

	if (dentry->d_name.len >= GTRACE_NAME_SIZE)
		return ERR_PTR(-ENOENT);
	inode = look_up(dir, dentry->d_name.name);
	if (IS_ERR(inode))
		return ERR_CAST(inode);
	d_add(dentry, inode);
	d_mark_dontcache(inode);
	return NULL;
}

/* A name stands for another task or process when it was given again, or its folder has moved. */
static bool is_still(struct inode *dir, const char *name, const struct inode *inode)
{
	const struct place *was = inode->i_private;
	struct place is = {};

	if (S_ISREG(inode->i_mode))
		return true;
	if (!find(dir->i_private, name, &is))
		return false;
	put_pid(is.pid);
	return is.task == was->task && is.pid == was->pid;
}

static int __maybe_unused revalidate(struct inode *dir, const struct qstr *name,
				     struct dentry *dentry, unsigned int flags)
{
	if (flags & LOOKUP_RCU)
		return -ECHILD;
	return is_still(dir, name->name, d_inode(dentry));
}

/* Older kernels leave it to the file system to find the folder. */
static int __maybe_unused revalidate_in_parent(struct dentry *dentry, unsigned int flags)
{
	struct dentry *parent;
	int is;

	if (flags & LOOKUP_RCU)
		return -ECHILD;
	parent = dget_parent(dentry);
	is = is_still(d_inode(parent), dentry->d_name.name, d_inode(dentry));
	dput(parent);
	return is;
}

#define TYPE_OF_REVALIDATE	typeof(((const struct dentry_operations *)NULL)->d_revalidate)
#define REVALIDATE								\
	__builtin_choose_expr(__same_type(TYPE_OF_REVALIDATE, &revalidate),	\
			      revalidate, revalidate_in_parent)

static const struct dentry_operations dentry_ops = {
	.d_revalidate = REVALIDATE,
	.d_delete = always_delete_dentry,
};

static const struct inode_operations folder_inode_ops = {
	.lookup = hierarchy_lookup,
};

/* ---- listing: what was there when the folder was opened ---- */

struct entry {
	u64	ino;
	char	name[GTRACE_NAME_SIZE];
};

struct listing {
	size_t		nr, max;
	struct entry	entry[];
};

static size_t list_tasks(struct entry *to, size_t room)
{
	struct gtrace_task *task;
	size_t n = 0;

	list_for_each_entry(task, &gtrace_tasks, list) {
		if (n++ >= room)
			continue;
		to->ino = TASK_INO + task->id;
		memcpy(to++->name, task->name, sizeof(to->name));
	}
	return n;
}

static size_t list_children(const struct place *place, struct entry *to, size_t room)
{
	struct list_head *children = children_of(place);
	struct gtrace_process *child;
	size_t n = 0;

	if (!children)
		return 0;
	if (n++ < room) {
		to->ino = FILE_INO + (place->pid ? place->nr : TASK_INO + place->task);
		strscpy(to++->name, file_in(place), sizeof(to->name));
	}
	list_for_each_entry(child, children, sibling) {
		if (n++ >= room)
			continue;
		to->ino = child->nr;
		/* The name is written when it is asked for: everybody may list, and forks wait. */
		to++->name[0] = '\0';
	}
	return n;
}

/* True when there was room for all. */
static bool listed(const struct place *place, struct listing *listing)
{
	spin_lock(&gtrace_lock);
	listing->nr = place->task ? list_children(place, listing->entry, listing->max)
				  : list_tasks(listing->entry, listing->max);
	spin_unlock(&gtrace_lock);
	return listing->nr <= listing->max;
}

static struct listing *make_listing(size_t max)
{
	struct listing *listing = kvzalloc(struct_size(listing, entry, max), GFP_KERNEL_ACCOUNT);

	if (listing)
		listing->max = max;
	return listing;
}

static int folder_open(struct inode *inode, struct file *file)
{
	struct listing *listing = make_listing(16);

	while (listing && !listed(inode->i_private, listing)) {
		const size_t max = listing->nr + listing->nr / 4;

		kvfree(listing);
		listing = make_listing(max);
	}
	file->private_data = listing;
	return listing ? 0 : -ENOMEM;
}

static int folder_release(struct inode *inode, struct file *file)
{
	kvfree(file->private_data);
	return 0;
}

static int folder_iterate(struct file *file, struct dir_context *ctx)
{
	struct listing *listing = file->private_data;

	if (!dir_emit_dots(file, ctx))
		return 0;
	for (; ctx->pos - 2 < listing->nr; ctx->pos++) {
		struct entry *entry = &listing->entry[ctx->pos - 2];

		if (!entry->name[0])
			snprintf(entry->name, sizeof(entry->name), "%llu", entry->ino);
		if (!dir_emit(ctx, entry->name, strlen(entry->name), entry->ino,
			      entry->ino >= FILE_INO ? DT_REG : DT_DIR))
			break;
	}
	return 0;
}

static const struct file_operations folder_fops = {
	.owner = THIS_MODULE,
	.open = folder_open,
	.release = folder_release,
	.iterate_shared = folder_iterate,
	.read = generic_read_dir,
	.llseek = generic_file_llseek,
};

/* ---- files ---- */

static int text_of(const struct place *place, char *to, size_t size)
{
	struct gtrace_process *process = NULL;
	struct gtrace_task *task = NULL;
	int len = -ESRCH;

	spin_lock(&gtrace_lock);
	if (place->pid)
		process = process_of(place);
	else
		task = task_of(place);
	if (process)
		len = scnprintf(to, size, "%s\n", process->progname);
	else if (task)
		len = scnprintf(to, size, "%s\n", gtrace_state_name(task->state));
	spin_unlock(&gtrace_lock);
	return len;
}

static ssize_t file_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	char text[GTRACE_NAME_SIZE + 2];
	const int len = text_of(file_inode(file)->i_private, text, sizeof(text));

	return len < 0 ? len : simple_read_from_buffer(to, count, pos, text, len);
}

static const struct file_operations file_fops = {
	.owner = THIS_MODULE,
	.read = file_read,
	.llseek = generic_file_llseek,
};

/* ---- inodes ---- */

static u64 ino_of(const struct place *place, umode_t mode)
{
	const u64 folder = place->pid ? place->nr : place->task ? TASK_INO + place->task : ROOT_INO;

	return S_ISREG(mode) ? FILE_INO + folder : folder;
}

/* Takes over the reference to the pid. NULL: no memory. */
static struct inode *make_inode(struct super_block *sb, const struct place *place, umode_t mode)
{
	struct place *its = kmemdup(place, sizeof(*place), GFP_KERNEL_ACCOUNT);
	struct inode *inode = its ? new_inode(sb) : NULL;

	if (!inode) {
		kfree(its);
		return NULL;
	}
	inode->i_private = its;
	inode->i_ino = ino_of(place, mode);
	inode->i_mode = mode;
#ifdef GTRACE_HAS_SIMPLE_INODE_INIT_TS
	simple_inode_init_ts(inode);
#else
	inode->i_mtime = current_time(inode);
	inode->i_atime = inode->i_mtime;
	inode->i_ctime = inode->i_mtime;
#endif
	if (S_ISDIR(mode)) {
		set_nlink(inode, 2);
		inode->i_op = &folder_inode_ops;
		inode->i_fop = &folder_fops;
	} else {
		inode->i_fop = &file_fops;
	}
	return inode;
}

static void evict_inode(struct inode *inode)
{
	struct place *place = inode->i_private;

	clear_inode(inode);
	if (!place)
		return;
	put_pid(place->pid);
	kfree(place);
}

static const struct super_operations super_ops = {
	.statfs = simple_statfs,
	.evict_inode = evict_inode,
};

/* ---- the file system ---- */

static void set_dentry_ops(struct super_block *sb)
{
#ifdef GTRACE_HAS_SET_DEFAULT_D_OP
	set_default_d_op(sb, &dentry_ops);
#else
	sb->s_d_op = &dentry_ops;
#endif
}

/* Who may look: what processes run, and whose tasks they are, is not everybody's. */
struct access {
	kgid_t	gid;
	umode_t	mode;
};

enum { OPTION_GID, OPTION_MODE };

static const struct fs_parameter_spec options[] = {
	fsparam_u32("gid", OPTION_GID),
	fsparam_u32oct("mode", OPTION_MODE),
	{}
};

static int parse_option(struct fs_context *fc, struct fs_parameter *param)
{
	struct access *access = fc->fs_private;
	struct fs_parse_result result;
	const int option = fs_parse(fc, options, param, &result);

	if (option < 0)
		return option;
	if (option == OPTION_GID) {
		access->gid = make_kgid(fc->user_ns, result.uint_32);
		return gid_valid(access->gid) ? 0 : invalf(fc, "gtrace: no such group");
	}
	if (result.uint_32 & ~0555)
		return invalf(fc, "gtrace: mode is made of 0555; nobody writes");
	access->mode = result.uint_32;
	return 0;
}

static int fill_super(struct super_block *sb, struct fs_context *fc)
{
	static const struct place root;
	const struct access *access = fc->fs_private;
	struct inode *inode;

	sb->s_magic = MAGIC;
	sb->s_op = &super_ops;
	set_dentry_ops(sb);
	sb->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	sb->s_flags |= SB_RDONLY | SB_NOSUID;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	inode = make_inode(sb, &root, S_IFDIR | access->mode);
	if (!inode)
		return -ENOMEM;
	inode->i_gid = access->gid;
	sb->s_root = d_make_root(inode);
	return sb->s_root ? 0 : -ENOMEM;
}

static int get_tree(struct fs_context *fc)
{
	return get_tree_single(fc, fill_super);
}

static void free_context(struct fs_context *fc)
{
	kfree(fc->fs_private);
}

static const struct fs_context_operations context_ops = {
	.parse_param = parse_option,
	.free = free_context,
	.get_tree = get_tree,
};

static int init_fs_context(struct fs_context *fc)
{
	struct access *access = kzalloc(sizeof(*access), GFP_KERNEL);

	if (!access)
		return -ENOMEM;
	access->mode = 0500;
	fc->fs_private = access;
	fc->ops = &context_ops;
	return 0;
}

static struct file_system_type type = {
	.owner = THIS_MODULE,
	.name = "gtrace",
	.init_fs_context = init_fs_context,
	.parameters = options,
	.kill_sb = kill_anon_super,
};

int gtrace_hierarchy_init(void)
{
	int err;

	if (!proc_create_mount_point("gtrace"))
		return -ENOMEM;
	err = register_filesystem(&type);
	if (err)
		remove_proc_entry("gtrace", NULL);
	return err;
}

/* While it is mounted the module stays. */
void gtrace_hierarchy_exit(void)
{
	unregister_filesystem(&type);
	remove_proc_entry("gtrace", NULL);
}
