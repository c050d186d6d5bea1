{{/*
A job as the templates use it, as YAML: its values over the defaults, with name, fullname, account, image and place.
(root, name)
*/}}
{{- define "datastream.job" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- $job := include "datastream.merged" (list $root.Values.jobDefaults (default dict (index $root.Values.jobs $name))) | fromYaml -}}
{{- $where := printf "jobs.%s" $name -}}
{{- if $job.enabled -}}
{{- $code := 0 -}}
{{- range list "script" "archive" -}}
{{- if get $job . -}}{{- $code = add1 $code -}}{{- end -}}
{{- end -}}
{{- if and (eq $code 0) (not $job.module) -}}
{{- fail (printf "%s: nothing says what to run: give script, module or archive" $where) -}}
{{- end -}}
{{- if or (gt $code 1) (and $job.script $job.module) -}}
{{- fail (printf "%s: give one of script, module and archive (module with archive: the module in it)" $where) -}}
{{- end -}}
{{- if and $job.bounded $job.scaling.enabled -}}
{{- fail (printf "%s: bounded and scaling.enabled: a job whose input ends is not scaled" $where) -}}
{{- end -}}
{{- if and $job.scaling.enabled (ne $job.upgrade "savepoint") -}}
{{- fail (printf "%s: scaling.enabled needs upgrade: savepoint" $where) -}}
{{- end -}}
{{- if gt (int $job.scaling.min) (int $job.scaling.max) -}}
{{- fail (printf "%s: scaling.min is %d, scaling.max is %d" $where (int $job.scaling.min) (int $job.scaling.max)) -}}
{{- end -}}
{{- if and $job.scaling.enabled (or (lt (int $job.parallelism) (int $job.scaling.min)) (gt (int $job.parallelism) (int $job.scaling.max))) -}}
{{- fail (printf "%s: parallelism is %d, but scaling goes from %d to %d" $where (int $job.parallelism) (int $job.scaling.min) (int $job.scaling.max)) -}}
{{- end -}}
{{- if eq $name "savepoints" -}}
{{- fail (printf "%s: savepoints are in a folder of this name beside the jobs' checkpoints: give the job another name" $where) -}}
{{- end -}}
{{- $other := printf "%s-executors" $name -}}
{{- if and $job.executors.enabled (has $other (include "datastream.jobNames" $root | fromJson).names) -}}
{{- fail (printf "%s: the objects of its executors have the names of those of jobs.%s: give one of the jobs another name" $where $other) -}}
{{- end -}}
{{- end -}}
{{- $full := printf "%s-%s" (include "datastream.fullname" $root) $name -}}
{{- $_ := set $job "name" $name -}}
{{- $_ := set $job "fullname" $full -}}
{{- $_ := set $job "account" (default $full $job.serviceAccount.name) -}}
{{- $image := include "datastream.imageOver" (list $root.Values.jobDefaults.image (dig "image" dict (default dict (index $root.Values.jobs $name)))) | fromYaml -}}
{{- $_ := set $job "image" (include "datastream.imageOver" (list $root.Values.image $image) | fromYaml) -}}
{{- $_ := set $job "imageReference" (include "datastream.image" (dict "root" $root "image" $job.image)) -}}
{{- $_ := set $job "place" (include "datastream.checkpoints" (dict "root" $root "own" $job.checkpoints "where" (printf "%s.checkpoints" $where) "name" $full) | fromYaml) -}}
{{- if and $job.scaling.enabled $job.place.uri -}}
{{- fail (printf "%s: scaling.enabled needs checkpoints in a claim, not in %s" $where $job.place.uri) -}}
{{- end -}}
{{- toYaml $job -}}
{{- end -}}

{{/* Names of the jobs that run, as a JSON list. */}}
{{- define "datastream.jobNames" -}}
{{- $names := list -}}
{{- range $name, $job := .Values.jobs -}}
{{- if (dig "enabled" $.Values.jobDefaults.enabled (default dict $job)) -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- end -}}
{{- toJson (dict "names" ($names | sortAlpha)) -}}
{{- end -}}

{{/* The runner's settings file: (root, job). */}}
{{- define "datastream.runnerSettings" -}}
{{- $job := .job -}}
{{- with $job.script }}
script: {{ . | quote }}
{{- end }}
{{- with $job.module }}
module: {{ . | quote }}
{{- end }}
{{- with $job.archive }}
archive: {{ . | quote }}
{{- end }}
{{- with $job.args }}
args:
  {{- range . }}
  - {{ include "datastream.text" . | quote }}
  {{- end }}
{{- end }}
name: {{ $job.name | quote }}
parallelism: {{ int $job.parallelism }}
{{- if $job.executors.enabled }}
master: k8s://https://kubernetes.default.svc
{{- else }}
master: local[{{ ternary (int $job.scaling.max) (int $job.parallelism) $job.scaling.enabled }}]
{{- end }}
checkpoint-dir: {{ printf "%s/%s" $job.place.directory $job.name | quote }}
standby: true
grace: {{ sub (int $job.terminationGracePeriodSeconds) 5 }}
stuck-after: {{ int $job.stuckAfter }}
{{- with $job.fromSavepoint }}
from-savepoint: {{ . | quote }}
{{- end }}
{{- if $job.allowNonRestoredState }}
allow-non-restored-state: true
{{- end }}
{{- if ne $job.upgrade "refuse" }}
upgrade: {{ $job.upgrade }}
{{- end }}
{{- if $job.scaling.enabled }}
{{- range $key, $value := omit $job.scaling "enabled" }}
scaling-{{ kebabcase $key }}: {{ include "datastream.text" $value }}
{{- end }}
{{- end }}
{{- $properties := dict }}
{{- if $job.executors.enabled }}
{{- $properties = include "datastream.executorProperties" . | fromYaml }}
{{- end }}
{{- $properties = include "datastream.merged" (list $properties $job.properties) | fromYaml }}
{{- with $properties }}
properties:
  {{- range $key, $value := . }}
  {{ $key | quote }}: {{ include "datastream.text" $value | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* What executors are made of. The rest, a driver in a pod knows by itself: (root, job). */}}
{{- define "datastream.executorProperties" -}}
{{- $job := .job -}}
spark.kubernetes.container.image: {{ $job.imageReference | quote }}
spark.kubernetes.container.image.pullPolicy: {{ $job.image.pullPolicy | quote }}
{{- with $job.image.pullSecrets }}
spark.kubernetes.container.image.pullSecrets: {{ join "," . | quote }}
{{- end }}
# For the identity that clouds give it; without a token of the API.
spark.kubernetes.authenticate.executor.serviceAccountName: {{ $job.account | quote }}
spark.kubernetes.executor.podTemplateFile: /etc/datastream/executor.yaml
spark.kubernetes.executor.podTemplateContainerName: executor
{{- if not $job.scaling.enabled }}
spark.executor.instances: {{ include "datastream.executors" (list $job $job.parallelism) | quote }}
{{- end }}
spark.executor.cores: {{ int $job.executors.cores | quote }}
{{- with $job.executors.cpu }}
spark.kubernetes.executor.request.cores: {{ include "datastream.text" . | quote }}
{{- end }}
spark.executor.memory: {{ $job.executors.memory | lower | trimSuffix "i" | quote }}
spark.executor.memoryOverhead: {{ $job.executors.memoryOverhead | lower | trimSuffix "i" | quote }}
# Known to the network policies.
spark.driver.port: "7078"
spark.blockManager.port: "7079"
{{- if $job.place.claim }}
spark.kubernetes.executor.volumes.persistentVolumeClaim.checkpoints.mount.path: /checkpoints
spark.kubernetes.executor.volumes.persistentVolumeClaim.checkpoints.options.claimName: {{ $job.place.claim | quote }}
{{- end }}
{{- end -}}

{{/* Number of executors: (job, parallelism). */}}
{{- define "datastream.executors" -}}
{{- divf (index . 1) (index . 0).executors.cores | ceil | int -}}
{{- end -}}

{{/* The pod that executors are made of: (root, job). */}}
{{- define "datastream.executorPod" -}}
{{- $job := .job -}}
apiVersion: v1
kind: Pod
metadata:
  labels:
    {{- include "datastream.podLabels" (dict "root" .root "component" "executor" "job" $job.name) | nindent 4 }}
    {{- with $job.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $job.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  securityContext:
    {{- toYaml .root.Values.podSecurityContext | nindent 4 }}
  containers:
    - name: executor
      securityContext:
        {{- toYaml .root.Values.securityContext | nindent 8 }}
      {{- with $job.env }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $job.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        # Spark takes a volume of such a name for its files, and makes none.
        - {name: spark-local-dir-tmp, mountPath: /tmp}
        {{- with $job.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: spark-local-dir-tmp
      emptyDir: {sizeLimit: {{ include "datastream.text" $job.tmp | quote }}}
    {{- with $job.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- include "datastream.placement" $job | nindent 2 }}
{{- end -}}

{{/* Where pods go: nodeSelector, tolerations, affinity, priorityClassName of a map. */}}
{{- define "datastream.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* The driver's pod, as in the template of a Deployment or a Job: (root, job). */}}
{{- define "datastream.driverPod" -}}
{{- $job := .job -}}
metadata:
  labels:
    {{- include "datastream.podLabels" (dict "root" .root "component" "job" "job" $job.name) | nindent 4 }}
    {{- with $job.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # A change of the settings replaces the pod.
    datastream/settings: {{ include "datastream.jobFiles" . | sha256sum | trunc 16 }}
    {{- with $job.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ $job.account | quote }}
  automountServiceAccountToken: {{ $job.executors.enabled }}
  # Variables that Kubernetes makes of Services begin as the runner's own.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ int $job.terminationGracePeriodSeconds }}
  {{- if $job.bounded }}
  restartPolicy: Never
  {{- end }}
  {{- with $job.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . | quote }}
    {{- end }}
  {{- end }}
  securityContext:
    {{- toYaml .root.Values.podSecurityContext | nindent 4 }}
  containers:
    - name: driver
      image: {{ $job.imageReference | quote }}
      imagePullPolicy: {{ $job.image.pullPolicy }}
      args: [--config, /etc/datastream/runner.yaml]
      env:
        {{- include "datastream.variables" (list (include "datastream.driverVariables" .) $job.env) | nindent 8 }}
      {{- with $job.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - {name: http, containerPort: 9249}
        {{- if $job.executors.enabled }}
        - {name: driver, containerPort: 7078}
        - {name: blocks, containerPort: 7079}
        {{- end }}
      startupProbe:
        httpGet: {path: /healthz, port: http}
        timeoutSeconds: 5
        failureThreshold: 30
      livenessProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        httpGet: {path: /readyz, port: http}
        periodSeconds: 5
        timeoutSeconds: 5
      resources:
        limits: {memory: {{ include "datastream.text" $job.memory | quote }}}
        requests: {memory: {{ include "datastream.text" $job.memory | quote }}, cpu: {{ include "datastream.text" $job.cpu | quote }}}
      securityContext:
        {{- toYaml .root.Values.securityContext | nindent 8 }}
      volumeMounts:
        - {name: settings, mountPath: /etc/datastream, readOnly: true}
        - {name: tmp, mountPath: /tmp}
        {{- if $job.place.claim }}
        - {name: checkpoints, mountPath: /checkpoints}
        {{- end }}
        {{- with $job.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: settings
      configMap: {name: {{ $job.fullname }}}
    - name: tmp
      emptyDir: {sizeLimit: {{ include "datastream.text" $job.tmp | quote }}}
    {{- if $job.place.claim }}
    - name: checkpoints
      persistentVolumeClaim: {claimName: {{ $job.place.claim | quote }}}
    {{- end }}
    {{- with $job.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- include "datastream.placement" $job | nindent 2 }}
{{- end -}}

{{/* Variables of the driver, beside those of the values: (root, job). */}}
{{- define "datastream.driverVariables" -}}
- name: DATASTREAM_CONTROL_TOKEN
  valueFrom:
    secretKeyRef: {name: {{ include "datastream.control" .root | quote }}, key: {{ .job.name | quote }}}
{{- end -}}

{{/* What the ConfigMap of a job holds: (root, job). */}}
{{- define "datastream.jobFiles" -}}
runner.yaml: |
  {{- include "datastream.runnerSettings" . | nindent 2 }}
{{- if .job.executors.enabled }}
executor.yaml: |
  {{- include "datastream.executorPod" . | nindent 2 }}
{{- end }}
{{- end -}}
