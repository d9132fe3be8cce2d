# shellcheck shell=bash
# What the local control plane needs of Go; sourced after steps.sh.

# require_go: ends with a sentence when there is no Go of version 1.26 or newer.
require_go() {
    local have
    command -v go >/dev/null ||
        die "the local control plane is built with Go 1.26 or newer: install it and put go on PATH"
    have=$(GOTOOLCHAIN=local go env GOVERSION)
    case $have in
        go1.[0-9] | go1.[0-9].* | go1.1[0-9]* | go1.2[0-5]*)
            die "the local control plane is built with Go 1.26 or newer; on PATH is $have" ;;
    esac
}
