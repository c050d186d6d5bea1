{{/* Beginning of the objects' names: at most 40 characters. A name that is cut ends with a hash of the whole one. */}}
{{- define "datastream.fullname" -}}
{{- $whole := .Values.fullnameOverride -}}
{{- if not $whole -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $whole = ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- end -}}
{{- if gt (len $whole) 40 -}}
{{- printf "%s-%s" ($whole | trunc 34 | trimSuffix "-") (sha256sum $whole | trunc 5) -}}
{{- else -}}
{{- trimSuffix "-" $whole -}}
{{- end -}}
{{- end -}}

{{/* Labels that select: (root, component). */}}
{{- define "datastream.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- with .job }}
datastream/job: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Labels of an object: (root, component, job). */}}
{{- define "datastream.labels" -}}
{{ include "datastream.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of a pod: without versions, so that another chart does not replace it. */}}
{{- define "datastream.podLabels" -}}
{{ include "datastream.selector" . }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* An image's reference: (root, image). */}}
{{- define "datastream.image" -}}
{{- $image := .image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (include "datastream.text" $image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/*
One image over another, as YAML: (under, over). A digest is of one image: it does not count for what names another
repository or tag.
*/}}
{{- define "datastream.imageOver" -}}
{{- $over := default dict (index . 1) -}}
{{- $found := include "datastream.merged" (list (index . 0) $over) | fromYaml -}}
{{- if and (or (hasKey $over "repository") (ne (toString (get $over "tag")) "")) (not $over.digest) -}}
{{- $_ := set $found "digest" "" -}}
{{- end -}}
{{- toYaml $found -}}
{{- end -}}

{{/* Variables of a container, as YAML: (list chart's user's), the chart's as YAML. The user's count. */}}
{{- define "datastream.variables" -}}
{{- $own := index . 1 -}}
{{- $named := dict -}}
{{- range $own -}}{{- $_ := set $named .name true -}}{{- end -}}
{{- $found := list -}}
{{- range index . 0 | fromYamlArray -}}
{{- if not (hasKey $named .name) -}}{{- $found = append $found . -}}{{- end -}}
{{- end -}}
{{- toYaml (concat $found $own) -}}
{{- end -}}

{{/* Secret of the jobs' control tokens. */}}
{{- define "datastream.control" -}}
{{- default (printf "%s-control" (include "datastream.fullname" .)) .Values.control.existingSecret -}}
{{- end -}}

{{/* The name of the gateway's claim. */}}
{{- define "datastream.gatewayClaim" -}}
{{- default (printf "%s-gateway" (include "datastream.fullname" .)) .Values.gateway.persistence.existingClaim -}}
{{- end -}}

{{/* Service account of the gateway. */}}
{{- define "datastream.gatewayAccount" -}}
{{- default (printf "%s-gateway" (include "datastream.fullname" .)) .Values.gateway.serviceAccount.name -}}
{{- end -}}
