{{/* Labels of the drivers that the gateway starts. */}}
{{- define "datastream.submitted" -}}
app.kubernetes.io/managed-by: datastream-gateway
datastream/gateway: {{ .Release.Name | quote }}
{{- end -}}

{{- define "datastream.dnsEgress" -}}
- ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]
{{- end -}}

{{/* Policies see the API server as an address outside, behind the port of its Service or its own. */}}
{{- define "datastream.apiEgress" -}}
- ports:
    {{- range .Values.networkPolicy.egress.apiServerPorts }}
    - {port: {{ int . }}}
    {{- end }}
{{- end -}}
