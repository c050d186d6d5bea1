{{/* What a driver needs of the API for its executors. */}}
{{- define "datastream.executorRules" -}}
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, create, delete, deletecollection]
{{- end -}}
