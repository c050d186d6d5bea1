{{/* What the ConfigMap of the gateway holds: the jobs that it watches, and the pod of those that it starts. */}}
{{- define "datastream.gatewayFiles" -}}
external.yaml: |
  {{- range (include "datastream.jobNames" . | fromJson).names }}
  {{- $job := include "datastream.job" (dict "root" $ "name" .) | fromYaml }}
  {{ $job.name }}:
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
