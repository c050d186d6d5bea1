{{/* One map over another, as YAML. Sprig's merge functions keep a default where the other map has false, 0 or "". */}}
{{- define "datastream.merged" -}}
{{- $found := deepCopy (index . 0) -}}
{{- range $key, $value := index . 1 -}}
{{- if and (kindIs "map" $value) (kindIs "map" (get $found $key)) -}}
{{- $_ := set $found $key (include "datastream.merged" (list (get $found $key) $value) | fromYaml) -}}
{{- else -}}
{{- $_ := set $found $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $found -}}
{{- end -}}

{{/* A number, a word or a truth value as text: 1000000, not 1e+06. */}}
{{- define "datastream.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}
{{- printf "%.0f" . -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end -}}
