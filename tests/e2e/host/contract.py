"""The metrics that dashboards of controllers know: name -> (type, labels, buckets)."""

REQUEST = ".005 .025 .1 .25 .5 1 2 4 8 15 30 60"
SIZE = "64 256 512 1024 4096 16384 65536 262144 1048576 4194304 16777216"
QUEUE = "1e-8 1e-7 1e-6 1e-5 1e-4 1e-3 1e-2 .1 1 10 100 1000"
RECONCILE = (".005 .01 .025 .05 .1 .15 .2 .25 .3 .35 .4 .45 .5 .6 .7 .8 .9 1 1.25 1.5 1.75 2 2.5 3 "
             "3.5 4 4.5 5 6 7 8 9 10 15 20 25 30 40 50 60")
INFORMER = ".001 .005 .01 .025 .05 .1 .25 .5 1 2.5 5 10"
DEFAULT = ".005 .01 .025 .05 .1 .25 .5 1 2.5 5 10"
AGE = "600 1800 3600 14400 86400 604800 2592000 7776000 15552000 31104000 124416000"

ROWS = f"""
workqueue_depth | gauge | name controller priority
workqueue_adds_total | counter | name controller
workqueue_queue_duration_seconds | histogram | name controller | {QUEUE}
workqueue_work_duration_seconds | histogram | name controller | {QUEUE}
workqueue_unfinished_work_seconds | gauge | name controller
workqueue_longest_running_processor_seconds | gauge | name controller
workqueue_retries_total | counter | name controller
controller_runtime_reconcile_total | counter | controller result
controller_runtime_reconcile_errors_total | counter | controller
controller_runtime_terminal_reconcile_errors_total | counter | controller
controller_runtime_reconcile_panics_total | counter | controller
controller_runtime_reconcile_timeouts_total | counter | controller
controller_runtime_reconcile_time_seconds | histogram | controller | {RECONCILE}
controller_runtime_max_concurrent_reconciles | gauge | controller
controller_runtime_active_workers | gauge | controller
rest_client_requests_total | counter | code method host url
rest_client_request_duration_seconds | histogram | verb host url | {REQUEST}
rest_client_rate_limiter_duration_seconds | histogram | verb host url | {REQUEST}
rest_client_dns_resolution_duration_seconds | histogram | host | {REQUEST.removesuffix(" 60")}
rest_client_request_size_bytes | histogram | verb host url | {SIZE}
rest_client_response_size_bytes | histogram | verb host url | {SIZE}
rest_client_request_retries_total | counter | code verb host url
rest_client_exec_plugin_ttl_seconds | gauge |
rest_client_exec_plugin_certificate_rotation_age | histogram | | {AGE}
rest_client_exec_plugin_call_total | counter | code call_status
rest_client_transport_ca_reload_total | counter | result reason
rest_client_transport_create_calls_total | counter | result
rest_client_transport_cache_entries | gauge |
leader_election_master_status | gauge | name
leader_election_slowpath_total | counter | name
informer_queued_items | gauge | name group version resource
informer_processing_latency_seconds | histogram | name group version resource | {INFORMER}
informer_store_resource_version | gauge | name group version resource
antimetal_controller_resources_processed_total | counter | group version kind action
antimetal_controller_reconcile_duration_seconds | histogram | controller | {DEFAULT}
process_cpu_seconds_total | counter |
process_open_fds | gauge |
process_max_fds | gauge |
process_virtual_memory_bytes | gauge |
process_virtual_memory_max_bytes | gauge |
process_resident_memory_bytes | gauge |
process_start_time_seconds | gauge |
"""


def rows():
    found = {}
    for line in ROWS.strip().splitlines():
        name, kind, labels, *buckets = (part.strip() for part in line.split("|"))
        found[name] = (kind, labels.split(), [float(b) for part in buckets for b in part.split()])
    return found
