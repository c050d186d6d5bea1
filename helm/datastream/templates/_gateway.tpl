{{/* What the ConfigMap of the gateway holds: the jobs that it watches, and the pod of those that it starts. */}}
{{- define "datastream.gatewayFiles" -}}
external.yaml: |
  {{- range (include "datastream.jobNames" . | fromJson).names }}
  {{- $job := include "datastream.job" (dict "root" $ "name" .) | fromYaml }}
  {{ $job.name | quote }}:
    url: http://{{ $job.fullname }}:9249
    control-token-file: /etc/datastream-control/{{ $job.name }}
    savepoint-dir: {{ printf "%s/savepoints" $job.place.directory | quote }}
  {{- else }}
  {}
  {{- end }}
{{- if has "kubernetes" .Values.gateway.launchers }}
driver.yaml: |
  {{- $pod := dict "spec" dict }}
  {{- with .Values.image.pullSecrets }}
  {{- $secrets := list }}
  {{- range . }}{{ $secrets = append $secrets (dict "name" .) }}{{ end }}
  {{- $_ := set $pod.spec "imagePullSecrets" $secrets }}
  {{- end }}
  {{- include "datastream.merged" (list $pod .Values.gateway.launcher.template) | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Variables of the gateway, beside those of the values. */}}
{{- define "datastream.gatewayVariables" -}}
{{- $gateway := .Values.gateway -}}
{{- $full := printf "%s-gateway" (include "datastream.fullname" .) -}}
{{- $pods := has "kubernetes" $gateway.launchers -}}
{{- $place := include "datastream.gatewayPlace" . | fromYaml -}}
{{- $names := (include "datastream.jobNames" . | fromJson).names -}}
- {name: DATASTREAM_GATEWAY_HOST, value: 0.0.0.0}
- {name: DATASTREAM_GATEWAY_DATA, value: /var/lib/datastream/gateway}
- {name: DATASTREAM_GATEWAY_LOG_FORMAT, value: json}
- {name: DATASTREAM_GATEWAY_LAUNCHER, value: {{ join " " $gateway.launchers | quote }}}
- {name: DATASTREAM_GATEWAY_POOL, value: {{ ternary "1" "0" (has "process" $gateway.launchers) | quote }}}
- {name: DATASTREAM_GATEWAY_MAX_JOBS, value: {{ int $gateway.maxJobs | quote }}}
{{- if $names }}
- {name: DATASTREAM_GATEWAY_EXTERNAL, value: /etc/datastream/external.yaml}
{{- end }}
# Of drivers in this pod, which nobody but the gateway asks.
- {name: DATASTREAM_ADDRESS, value: 127.0.0.1}
{{- with $gateway.database.existingSecret }}
- name: DATASTREAM_GATEWAY_DATABASE
  valueFrom:
    secretKeyRef: {name: {{ . | quote }}, key: {{ $gateway.database.key | quote }}}
{{- end }}
{{- if $pods }}
- name: DATASTREAM_GATEWAY_KUBERNETES_NAMESPACE
  valueFrom:
    fieldRef: {fieldPath: metadata.namespace}
- {name: DATASTREAM_GATEWAY_KUBERNETES_GATEWAY, value: {{ .Release.Name | quote }}}
- {name: DATASTREAM_GATEWAY_KUBERNETES_GATEWAY_URL, value: {{ printf "http://%s:%d" $full (int $gateway.service.port) | quote }}}
- {name: DATASTREAM_GATEWAY_KUBERNETES_IMAGE, value: {{ default (include "datastream.image" (dict "root" . "image" .Values.image)) $gateway.launcher.image | quote }}}
- {name: DATASTREAM_GATEWAY_KUBERNETES_PULL, value: {{ .Values.image.pullPolicy | quote }}}
- {name: DATASTREAM_GATEWAY_KUBERNETES_MEMORY, value: {{ include "datastream.text" $gateway.launcher.memory | quote }}}
- {name: DATASTREAM_GATEWAY_KUBERNETES_CPUS, value: {{ include "datastream.text" $gateway.launcher.cpus | quote }}}
- {name: DATASTREAM_GATEWAY_KUBERNETES_TMP, value: {{ include "datastream.text" $gateway.launcher.tmp | quote }}}
{{- if $place.claim }}
- {name: DATASTREAM_GATEWAY_KUBERNETES_CLAIM, value: {{ $place.claim | quote }}}
{{- else }}
- {name: DATASTREAM_GATEWAY_KUBERNETES_CHECKPOINTS, value: {{ $place.uri | quote }}}
{{- end }}
- {name: DATASTREAM_GATEWAY_KUBERNETES_TEMPLATE, value: /etc/datastream/driver.yaml}
{{- if $gateway.launcher.executors.enabled }}
- {name: DATASTREAM_GATEWAY_KUBERNETES_MASTER, value: "k8s://https://kubernetes.default.svc"}
- {name: DATASTREAM_GATEWAY_KUBERNETES_SERVICE_ACCOUNT, value: {{ $full }}-driver}
{{- end }}
{{- end }}
{{- end -}}

{{/* Where submitted jobs have their checkpoints, as YAML. */}}
{{- define "datastream.gatewayPlace" -}}
{{- include "datastream.checkpoints" (dict "root" . "own" .Values.gateway.launcher.checkpoints "where" "gateway.launcher.checkpoints" "name" (printf "%s-gateway-jobs" (include "datastream.fullname" .))) -}}
{{- end -}}
