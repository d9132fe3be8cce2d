{{/* kindred.conf of a map of values: libconfig. */}}

{{- define "kindred.conf.text" -}}
"{{ . | replace "\\" "\\\\" | replace "\"" "\\\"" | replace "\n" "\\n" | replace "\r" "\\r" | replace "\t" "\\t" }}"
{{- end -}}

{{- define "kindred.conf.list" -}}
{{- $items := list -}}
{{- range . }}{{ $items = append $items (include "kindred.conf.value" .) }}{{ end -}}
{{- if and . (kindIs "map" (first .)) -}}
( {{ join ", " $items }} )
{{- else -}}
[ {{ join ", " $items }} ]
{{- end -}}
{{- end -}}

{{- define "kindred.conf.value" -}}
{{- if kindIs "string" . -}}
{{ include "kindred.conf.text" . }}
{{- else if kindIs "bool" . -}}
{{ . }}
{{- else if kindIs "map" . -}}
{ {{ range $key, $value := . }}{{ if not (kindIs "invalid" $value) }}{{ $key }} = {{ include "kindred.conf.value" $value }}; {{ end }}{{ end }}}
{{- else if kindIs "slice" . -}}
{{ include "kindred.conf.list" . }}
{{- else if eq (float64 .) (float64 (int64 .)) -}}
{{ int64 . }}
{{- else -}}
{{ . }}
{{- end -}}
{{- end -}}

{{/* What the pods read, as JSON: the values with what the chart knows better than a default. */}}
{{- define "kindred.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- $leader := $config.leader | default dict -}}
{{- if not $leader.namespace }}{{ $_ := set $leader "namespace" .Release.Namespace }}{{ end -}}
{{- if not $leader.name }}{{ $_ := set $leader "name" (printf "%s-leader" .Values.name) }}{{ end -}}
{{- $_ := set $config "leader" $leader -}}
{{- if .Values.plugins -}}
{{- $plugins := $config.plugins | default dict -}}
{{- $extra := $plugins.extra | default list -}}
{{- range .Values.plugins }}{{ $extra = append $extra (printf "/plugins/%s" .name) }}{{ end -}}
{{- $_ := set $plugins "extra" $extra -}}
{{- $_ := set $config "plugins" $plugins -}}
{{- end -}}
{{ toJson $config }}
{{- end -}}

{{- define "kindred.conf" -}}
{{- $config := include "kindred.config" . | fromJson -}}
{{- range $key, $value := omit $config "kinds" }}
{{- if kindIs "map" $value }}
{{ $key }} = {
{{- range $name, $inner := $value }}
{{- if not (kindIs "invalid" $inner) }}
    {{ $name }} = {{ include "kindred.conf.value" $inner }};
{{- end }}
{{- end }}
};
{{- else if not (kindIs "invalid" $value) }}
{{ $key }} = {{ include "kindred.conf.value" $value }};
{{- end }}
{{- end }}
kinds = (
{{- range $index, $entry := $config.kinds }}{{ if $index }},{{ end }}
    {{ include "kindred.conf.value" $entry }}
{{- end }}
);
{{- end -}}
