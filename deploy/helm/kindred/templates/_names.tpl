{{- define "kindred.selector" -}}
app.kubernetes.io/name: kindred
app.kubernetes.io/instance: {{ .Values.name }}
{{- end -}}

{{- define "kindred.labels" -}}
{{ include "kindred.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "kindred.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The port of config.SECTION.bind, "" where it is off or a unix socket. Takes a list: the root,
the section, the default. */}}
{{- define "kindred.port" -}}
{{- $section := get (index . 0).Values.config (index . 1) | default dict -}}
{{- $bind := $section.bind | default (index . 2) -}}
{{- if and $bind (ne $bind "0") (not (hasPrefix "unix:" $bind)) -}}
{{ regexFind "[0-9]+$" $bind }}
{{- end -}}
{{- end -}}

{{- define "kindred.healthPort" }}{{ include "kindred.port" (list . "health" ":8081") }}{{ end -}}
{{- define "kindred.metricsPort" }}{{ include "kindred.port" (list . "metrics" ":8080") }}{{ end -}}
{{- define "kindred.apiPort" }}{{ include "kindred.port" (list . "api" "unix:") }}{{ end -}}

{{- define "kindred.replicas" -}}
{{- $most := ternary 1 2 .Values.persistence.enabled -}}
{{- $replicas := ternary $most .Values.replicas (kindIs "invalid" .Values.replicas) | int -}}
{{- if and .Values.persistence.enabled (gt $replicas 1) -}}
{{- fail "replicas: with persistence.enabled only 1 is possible, for the graph's file has one owner: a second replica that opened it would end with exit code 2. Without it each of any number of replicas has a graph of its own in an emptyDir, and makes it anew from the cluster" -}}
{{- end -}}
{{- $election := dig "leader" "enabled" true .Values.config -}}
{{- if and (gt $replicas 1) (not $election) -}}
{{- fail "replicas: more than 1 needs config.leader.enabled, or each replica would act as leader" -}}
{{- end -}}
{{- if and (gt $replicas 1) (dig "leader" "identity" "" .Values.config) -}}
{{- fail "config.leader.identity: leave it empty with more than 1 replica, or all would hold one lease; each has the name of its pod" -}}
{{- end -}}
{{ $replicas }}
{{- end -}}

{{- define "kindred.serviceAccount" -}}
{{ .Values.serviceAccount.name | default .Values.name }}
{{- end -}}
