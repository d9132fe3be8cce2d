# shellcheck shell=bash
# How deploy/quickstart asks a running kindred; sourced after steps.sh.
# shellcheck disable=SC2154 # build, folder and host are the script's
# Uses $build, $folder and $host of the script, and its function host_ended.

ctl() {
    "$build/kindredctl" --server "unix:$folder/api.sock" "$@"
}

# free_port [OTHER]: a port of 127.0.0.1 that nobody listens on and that is not OTHER.
free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        if [ "$port" != "${1:-}" ] && ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            printf '%d\n' "$port"
            return
        fi
    done
}

# columns NAME...: reads a table and prints these columns of its rows, found by the head line.
columns() {
    awk -v names="$*" '
        NR == 1 { n = split(names, want, " "); for (i = 1; i <= NF; i++) at[toupper($i)] = i; next }
        { for (i = 1; i <= n; i++) printf "%s%s", $(at[want[i]]), (i < n ? " " : "\n") }'
}

# kind_table: lays out what columns gave of the kinds, within 80 columns.
kind_table() {
    { printf 'KIND GROUP STATE OBJECTS STORED\n' && cat; } |
        awk '{ printf "%-24s %-20s %-10s %8s %8s\n", $1, $2, $3, $4, $5 }'
}

# first_deployment: namespace and name of one Deployment, or nothing.
first_deployment() {
    ctl get deployment 2>/dev/null | columns NAMESPACE NAME | sort | awk 'NR == 1'
}

# follow_sync SECONDS: shows the objects of each kind as they arrive, until all are in the graph.
follow_sync() {
    local deadline=$((SECONDS + $1)) rows now width shown=''
    while [ "$SECONDS" -lt "$deadline" ]; do
        kill -0 "$host" 2>/dev/null || host_ended
        rows=$(ctl kinds 2>/dev/null | columns KIND STATE OBJECTS STORED) || rows=''
        now=$(awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $1, $4 }' <<<"$rows")
        if [ -n "$now" ] && [ "$now" != "$shown" ]; then
            shown=$now
            if [ -t 1 ]; then
                width=$(tput cols 2>/dev/null) || width=80
                printf '\r\033[K    %s' "${now:0:width > 9 ? width - 5 : 4}"
            else
                note "$now"
            fi
        fi
        if [ -n "$rows" ] && ! awk '
            $2 == "syncing" || $2 == "failing" || ($2 == "synced" && $3 != $4) { bad = 1 }
            END { exit !bad }' <<<"$rows"; then
            [ ! -t 1 ] || printf '\r\033[K    %s\n' "$now"
            return
        fi
        sleep 0.2
    done
    ctl status >&2 || true
    die "the cluster did not come in within $1 s; see above for the reason, or try --local"
}
