{{/* The rules that `kindred rbac` prints for this configuration; a test holds both against each
other. files/kinds.yaml is made of it. */}}

{{/* What an entry of config.kinds reads. Takes a list: the root, the entry. */}}
{{- define "kindred.rules.kinds" -}}
{{- $root := index . 0 -}}
{{- $entry := index . 1 -}}
{{- $known := $root.Files.Get "files/kinds.yaml" | fromYaml -}}
{{- if eq $entry.plugin "custom" -}}
{{- $s := $entry.settings | default dict -}}
{{ list (dict "group" ($s.group | default "") "resource" $s.resource "namespaced" (dig "namespaced" true $s)) | toJson }}
{{- else if hasKey $root.Values.rbac.plugins $entry.plugin -}}
{{ index $root.Values.rbac.plugins $entry.plugin | toJson }}
{{- else if hasKey $known $entry.plugin -}}
{{ index $known $entry.plugin | toJson }}
{{- else -}}
{{- fail (printf "config.kinds: plugin %q does not come with kindred: say in rbac.plugins what it reads (kindredctl rbac prints it), or make the roles yourself (rbac.create: false)" $entry.plugin) -}}
{{- end -}}
{{- end -}}

{{/* Namespace ("" for the whole cluster) -> group -> resource -> true, as JSON. */}}
{{- define "kindred.rules.reads" -}}
{{- $root := . -}}
{{- $reads := dict "" dict -}}
{{- range $entry := .Values.config.kinds -}}
{{- if ne (dig "enabled" true $entry | toString) "false" -}}
{{- range $kind := include "kindred.rules.kinds" (list $root $entry) | fromJsonArray -}}
{{- $places := list "" -}}
{{- if and $kind.namespaced $entry.namespaces -}}
{{- $places = $entry.namespaces -}}
{{- range $entry.exclude_namespaces }}{{ $places = without $places . }}{{ end -}}
{{- end -}}
{{- range $place := $places -}}
{{- $groups := get $reads $place | default dict -}}
{{- $resources := get $groups $kind.group | default dict -}}
{{- $_ := set $resources $kind.resource true -}}
{{- $_ := set $groups $kind.group $resources -}}
{{- $_ := set $reads $place $groups -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{ toJson $reads }}
{{- end -}}

{{/* Rules of get, list, watch. Takes a list: the groups of a namespace, those of the cluster or an
empty map. */}}
{{- define "kindred.rules.read" -}}
{{- $wide := index . 1 -}}
{{- range $group, $resources := index . 0 }}
{{- $names := list -}}
{{- range $name := keys $resources | sortAlpha }}
{{- if not (hasKey (get $wide $group | default dict) $name) }}{{ $names = append $names $name }}{{ end }}
{{- end }}
{{- if $names }}
  - apiGroups: [{{ $group | quote }}]
    resources: {{ toJson $names }}
    verbs: ["get", "list", "watch"]
{{- end }}
{{- end }}
{{- end -}}

{{/* "true" where a section of the configuration asks the cluster who a caller is. */}}
{{- define "kindred.rules.asksWho" -}}
{{- $metrics := and (dig "metrics" "authenticate" false .Values.config) (include "kindred.metricsPort" .) -}}
{{- $api := and (dig "api" "authenticate" true .Values.config) (include "kindred.apiPort" .) -}}
{{- if or $metrics $api }}true{{ end -}}
{{- end -}}

{{- define "kindred.rules.cluster" -}}
{{- $reads := index (include "kindred.rules.reads" . | fromJson) "" -}}
{{- include "kindred.rules.read" (list $reads dict) }}
{{- if not (hasKey (get $reads "" | default dict) "namespaces") }}
  - apiGroups: [""]
    resources: ["namespaces"]
    resourceNames: ["kube-system"]
    verbs: ["get"]
{{- end }}
{{- if include "kindred.rules.asksWho" . }}
  - apiGroups: ["authentication.k8s.io"]
    resources: ["tokenreviews"]
    verbs: ["create"]
  - apiGroups: ["authorization.k8s.io"]
    resources: ["subjectaccessreviews"]
    verbs: ["create"]
{{- end }}
{{- end -}}

{{- define "kindred.rules.election" }}
  - apiGroups: ["coordination.k8s.io"]
    resources: ["leases"]
    verbs: ["create"]
  - apiGroups: ["coordination.k8s.io"]
    resources: ["leases"]
    resourceNames: [{{ . | quote }}]
    verbs: ["get", "update", "watch"]
  - apiGroups: ["events.k8s.io"]
    resources: ["events"]
    verbs: ["create", "patch"]
{{- end -}}
