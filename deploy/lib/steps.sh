# shellcheck shell=bash
# Messages of the scripts, sourced by them: numbered steps with their time, and faults.

steps_total=0
steps_done=0

# steps_begin COUNT: how many steps will follow.
steps_begin() {
    steps_total=$1
    steps_done=0
    SECONDS=0
}

steps_clock() {
    printf '%d:%02d' "$((SECONDS / 60))" "$((SECONDS % 60))"
}

# step TEXT: the next step begins.
step() {
    steps_done=$((steps_done + 1))
    printf '\n[%d/%d %s] %s\n' "$steps_done" "$steps_total" "$(steps_clock)" "$1"
}

# note TEXT: one line within a step.
note() {
    printf '    %s\n' "$1"
}

# die TEXT: says what is wrong and what to do, and ends.
die() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 1
}

# quietly LOG COMMAND...: runs a command with its output in LOG, shown only when it fails.
quietly() {
    local log=$1
    shift
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        printf '%s: failed: %s\n' "${0##*/}" "$*" >&2
        return 1
    fi
}

# counted LABEL TOTAL: reads lines and shows how many came; a live line on a terminal, else one
# line for each tenth of TOTAL.
counted() {
    local label=$1 total=$2 count=0 tenth=0
    while IFS= read -r _; do
        count=$((count + 1))
        if [ -t 1 ]; then
            printf '\r    %s: %d of about %d' "$label" "$count" "$total"
        elif [ "$((count * 10 / total))" -gt "$tenth" ]; then
            tenth=$((count * 10 / total))
            note "$label: $count of about $total"
        fi
    done
    if [ -t 1 ] && [ "$count" -gt 0 ]; then
        printf '\n'
    fi
}

# percented: reads the output of cmake --build and shows how far it is: a live line on a terminal,
# else one line for each quarter. Warnings and errors pass through.
percented() {
    local line percent quarter=0
    while IFS= read -r line; do
        case $line in
            "["*"%]"*)
                percent=${line#[}
                percent=${percent%%%*}
                if [ -t 1 ]; then
                    printf '\r    built: %3d %%' "$((percent))"
                elif [ "$((percent / 25))" -gt "$quarter" ]; then
                    quarter=$((percent / 25))
                    note "built: $((percent)) %"
                fi
                ;;
            make* | "") ;;
            *) printf '%s\n' "$line" ;;
        esac
    done
    if [ -t 1 ]; then
        printf '\n'
    fi
}

# cmake_build FOLDER: builds what is configured there, on all cores.
cmake_build() {
    cmake --build "$1" -j "$(nproc)" 2>&1 | percented
}
