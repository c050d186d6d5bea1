{{/*
Where checkpoints are, as YAML with uri or claim, and with make for a claim that the chart makes: (root, own, where, name).
What a job says of its place counts in place of what the chart says of all, not beside it.
*/}}
{{- define "datastream.checkpoints" -}}
{{- $own := default dict .own -}}
{{- $ownClaim := dig "persistence" "existingClaim" "" $own -}}
{{- $ownUri := dig "uri" "" $own -}}
{{- $found := include "datastream.merged" (list .root.Values.checkpoints $own) | fromYaml -}}
{{- if and $ownUri (not $ownClaim) -}}
{{- $_ := set $found.persistence "existingClaim" "" -}}
{{- else if and $ownClaim (not $ownUri) -}}
{{- $_ := set $found "uri" "" -}}
{{- end -}}
{{- if and $found.uri $found.persistence.existingClaim -}}
{{- fail (printf "%s: uri is %q and persistence.existingClaim is %q: give one of them" .where $found.uri $found.persistence.existingClaim) -}}
{{- end -}}
persistence: {{ toJson $found.persistence }}
{{- if $found.uri }}
uri: {{ trimSuffix "/" $found.uri | quote }}
claim: ""
make: false
directory: {{ trimSuffix "/" $found.uri | quote }}
{{- else }}
uri: ""
claim: {{ default .name $found.persistence.existingClaim | quote }}
make: {{ not $found.persistence.existingClaim }}
directory: /checkpoints
{{- end }}
{{- end -}}

{{/* A claim: (root, name, persistence, component, job). */}}
{{- define "datastream.claim" -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ .name | quote }}
  labels:
    {{- include "datastream.labels" . | nindent 4 }}
  {{- if .persistence.keep }}
  annotations:
    helm.sh/resource-policy: keep
  {{- end }}
spec:
  accessModes: {{ toJson (default (list "ReadWriteOnce") .persistence.accessModes) }}
  {{- with .persistence.storageClass }}
  storageClassName: {{ . | quote }}
  {{- end }}
  resources:
    requests:
      storage: {{ include "datastream.text" .persistence.size | quote }}
{{- end -}}
