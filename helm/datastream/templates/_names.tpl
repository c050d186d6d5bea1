{{- define "datastream.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Labels that select: (root, component). */}}
{{- define "datastream.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .job }}
datastream/job: {{ . }}
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
{{- printf "%s:%s" $image.repository (default .root.Chart.AppVersion $image.tag) -}}
{{- end -}}
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
