/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event database: which points there are.
 */
#ifndef _MAGNET_EVENTDB_H
#define _MAGNET_EVENTDB_H

#include <linux/types.h>

#include "point.h"

struct netlink_ext_ack;
struct seq_file;

extern struct magnet_point *const magnet_points[];
extern const unsigned int magnet_nr_points;

extern struct magnet_point magnet_point_inet_sendmsg;
extern struct magnet_point magnet_point_udp_sendmsg;
extern struct magnet_point magnet_point_ip_send_skb;
extern struct magnet_point magnet_point_dev_queue_xmit;
extern struct magnet_point magnet_point_netif_receive_skb;
extern struct magnet_point magnet_point_net_dev_receive;
extern struct magnet_point magnet_point_ip_local_deliver;
extern struct magnet_point magnet_point_udp_rcv;
extern struct magnet_point magnet_point_udp_enqueue;
extern struct magnet_point magnet_point_skb_consume_udp;
extern struct magnet_point magnet_point_tcp_sendmsg;
extern struct magnet_point magnet_point_tcp_retransmit_skb;
extern struct magnet_point magnet_point_ip_queue_xmit;
extern struct magnet_point magnet_point_net_dev_start_xmit;
extern struct magnet_point magnet_point_net_dev_xmit;
extern struct magnet_point magnet_point_tcp_rcv;
extern struct magnet_point magnet_point_tcp_rcv_established;
extern struct magnet_point magnet_point_tcp_consume;
extern struct magnet_point magnet_point_kfree_skb;
extern struct magnet_point magnet_point_sched_switch;
extern struct magnet_point magnet_point_sched_wakeup;
extern struct magnet_point magnet_point_sched_migrate_task;
extern struct magnet_point magnet_point_cpu_time;
extern struct magnet_point magnet_point_sched_process_fork;
extern struct magnet_point magnet_point_sched_process_exec;
extern struct magnet_point magnet_point_sched_process_exit;
extern struct magnet_point magnet_point_irq_handler_entry;
extern struct magnet_point magnet_point_irq_handler_exit;
extern struct magnet_point magnet_point_softirq_entry;
extern struct magnet_point magnet_point_softirq_exit;
extern struct magnet_point magnet_point_page_fault_user;
extern struct magnet_point magnet_point_page_fault_kernel;
extern struct magnet_point magnet_point_major_fault;
extern struct magnet_point magnet_point_mm_vmscan_direct_reclaim_begin;
extern struct magnet_point magnet_point_mm_vmscan_direct_reclaim_end;
extern struct magnet_point magnet_point_mark_victim;
extern struct magnet_point magnet_point_block_rq_issue;
extern struct magnet_point magnet_point_block_rq_complete;
extern struct magnet_point magnet_point_sys_enter;
extern struct magnet_point magnet_point_sys_exit;
extern struct magnet_point magnet_point_marker;

void magnet_eventdb_init(void);
void magnet_eventdb_exit(void);
struct magnet_point *magnet_point_find(const char *name);
struct magnet_point *magnet_point_nth(unsigned int n);
int magnet_point_add(struct magnet_point *point, struct netlink_ext_ack *extack);
void magnet_point_del(struct magnet_point *point);
bool magnet_is_name(const char *name);
void magnet_events_show(struct seq_file *m);
void magnet_format_show(struct seq_file *m);

#endif /* _MAGNET_EVENTDB_H */
