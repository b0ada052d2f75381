{{- define "pointsman.name" -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end }}

{{- define "pointsman.selectorLabels" -}}
app.kubernetes.io/name: pointsman
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pointsman.labels" -}}
{{ include "pointsman.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "pointsman.metadata" -}}
name: {{ include "pointsman.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "pointsman.labels" . | nindent 2 }}
{{- end }}

{{- define "pointsman.poolName" -}}
{{- .Values.pool.name | default (include "pointsman.name" .) -}}
{{- end }}

{{- define "pointsman.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "pointsman.name" .) -}}
{{- end }}

{{- define "pointsman.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- /* What the chart decides of the settings; the values' own win. */ -}}
{{- define "pointsman.config" -}}
{{- $workers := dict -}}
{{- if .Values.disaggregated -}}
{{- $_ := set $workers "headers" (dict "prefillHost" true) -}}
{{- end -}}
{{- $extProc := dict -}}
{{- if eq .Values.gateway.kind "agentgateway" -}}
{{- $_ := set $extProc "tls" (dict "mode" "off") -}}
{{- end -}}
{{- $own := dict
  "hub" (dict "cacheDir" "/var/cache/pointsman")
  "kubernetes" (dict "poolName" (include "pointsman.poolName" .) "workers" $workers)
  "shutdown" (dict "readinessDelayMs" 5000 "drainTimeoutMs" 110000)
  "extProc" $extProc -}}
{{- mergeOverwrite $own (deepCopy .Values.config) | toYaml -}}
{{- end }}
