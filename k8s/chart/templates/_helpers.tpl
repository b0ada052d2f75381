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

{{- /* The modes of the deployment, the main one first, as JSON. */ -}}
{{- define "pointsman.modes" -}}
{{- concat (list (.Values.config.mode | default "ext-proc")) (.Values.config.mixedModes | default list) | toJson -}}
{{- end }}

{{- /* "true" where a gateway asks for picks, else nothing. */ -}}
{{- define "pointsman.isPicker" -}}
{{- if has "ext-proc" (include "pointsman.modes" . | fromJsonArray) -}}true{{- end -}}
{{- end }}

{{- /* The modes that clients call, as JSON. */ -}}
{{- define "pointsman.fronts" -}}
{{- $fronts := list -}}
{{- range include "pointsman.modes" . | fromJsonArray -}}
{{- if has . (list "proxy" "queue") -}}{{- $fronts = append $fronts . -}}{{- end -}}
{{- end -}}
{{- toJson $fronts -}}
{{- end }}

{{- /* What the pods are: picker, proxy or queue. It is what their probes ask. */ -}}
{{- define "pointsman.part" -}}
{{- $fronts := include "pointsman.fronts" . | fromJsonArray -}}
{{- if include "pointsman.isPicker" . -}}picker
{{- else if $fronts -}}{{- first $fronts -}}
{{- else -}}{{- fail (printf "config.mode: the chart installs ext-proc, proxy and queue, not %s alone" .Values.config.mode) -}}
{{- end -}}
{{- end }}

{{- /* "true" where requests go to workers; a queue's processor finds its own. */ -}}
{{- define "pointsman.needsWorkers" -}}
{{- if without (include "pointsman.modes" . | fromJsonArray) "queue" -}}true{{- end -}}
{{- end }}

{{- /* "true" where workers are pods, found through the API. */ -}}
{{- define "pointsman.discovers" -}}
{{- $kubernetes := .Values.config.kubernetes | default dict -}}
{{- if include "pointsman.isPicker" . -}}true
{{- else if and (include "pointsman.needsWorkers" .) (or $kubernetes.poolName $kubernetes.endpointSelector) -}}true
{{- end -}}
{{- end }}

{{- /* What the chart decides of the settings; the values' own win. Models and pods that no mode asks for are left out. */ -}}
{{- define "pointsman.config" -}}
{{- $own := dict "shutdown" (dict "readinessDelayMs" 5000 "drainTimeoutMs" 110000) -}}
{{- $values := deepCopy .Values.config -}}
{{- if include "pointsman.needsWorkers" . -}}
{{- $_ := set $own "hub" (dict "cacheDir" "/var/cache/pointsman") -}}
{{- else -}}
{{- $values = omit $values "models" -}}
{{- end -}}
{{- if not (include "pointsman.discovers" .) -}}
{{- $values = omit $values "kubernetes" -}}
{{- end -}}
{{- if include "pointsman.isPicker" . -}}
{{- $workers := dict -}}
{{- if .Values.disaggregated -}}
{{- $_ := set $workers "headers" (dict "prefillHost" true) -}}
{{- end -}}
{{- $extProc := dict -}}
{{- if eq .Values.gateway.kind "agentgateway" -}}
{{- $_ := set $extProc "tls" (dict "mode" "off") -}}
{{- end -}}
{{- $_ := set $own "kubernetes" (dict "poolName" (include "pointsman.poolName" .) "workers" $workers) -}}
{{- $_ := set $own "extProc" $extProc -}}
{{- end -}}
{{- range include "pointsman.fronts" . | fromJsonArray -}}
{{- $_ := set $own . (dict "listen" (printf "0.0.0.0:%s" (include "pointsman.frontPort" .))) -}}
{{- end -}}
{{- mergeOverwrite $own $values | toYaml -}}
{{- end }}

{{- /* Where clients call: the Service's port of a front. */ -}}
{{- define "pointsman.frontPort" -}}
{{- eq . "proxy" | ternary "8000" "8001" -}}
{{- end }}

{{- /* Port of a listener's address. */ -}}
{{- define "pointsman.portOf" -}}
{{- regexFind "[0-9]+$" . -}}
{{- end }}

{{- /* Where metrics are served; empty = nowhere. */ -}}
{{- define "pointsman.metricsPort" -}}
{{- include "pointsman.portOf" (dig "metrics" "listen" "0.0.0.0:9090" (include "pointsman.config" . | fromYaml)) -}}
{{- end }}

{{- /* Addresses of the workers that are named, as networks of one, as JSON. */ -}}
{{- define "pointsman.workerNetworks" -}}
{{- $networks := list -}}
{{- range .Values.config.workers -}}
{{- $host := .endpoint | default "" | regexFind "^.*:" | trimSuffix ":" | trimAll "[]" -}}
{{- if $host -}}{{- $networks = append $networks (printf "%s/%s" $host (contains ":" $host | ternary "128" "32")) -}}{{- end -}}
{{- end -}}
{{- uniq $networks | toJson -}}
{{- end }}

{{- /* Ports of the queue's Redis and its sentinels, as JSON. */ -}}
{{- define "pointsman.redisPorts" -}}
{{- $redis := dig "queue" "redis" dict (include "pointsman.config" . | fromYaml) -}}
{{- $ports := list (regexFind "[0-9]+$" (regexFind ":[0-9]+$" (urlParse ($redis.url | default "")).host) | default "6379") -}}
{{- range dig "sentinel" "addresses" list $redis -}}
{{- $ports = append $ports (include "pointsman.portOf" .) -}}
{{- end -}}
{{- uniq $ports | toJson -}}
{{- end }}

{{- /* Refuses values that would install what cannot work, or what nobody could have meant. */ -}}
{{- define "pointsman.check" -}}
{{- $config := include "pointsman.config" . | fromYaml -}}
{{- $envNames := list -}}
{{- range .Values.env -}}{{- $envNames = append $envNames .name -}}{{- end -}}
{{- range $front := include "pointsman.fronts" . | fromJsonArray -}}
{{- $settings := get $config $front -}}
{{- $tls := $settings.tls | default dict -}}
{{- $prefix := printf "POINTSMAN_%s_API_KEY" (upper $front) -}}
{{- $keys := or $settings.apiKeys $settings.apiKeyFile $settings.apiKeyHashes $tls.clientCaFile (has (print $prefix "_FILE") $envNames) (has (print $prefix "_HASHES") $envNames) -}}
{{- if not (or $keys $.Values.front.allowAnybody) -}}
{{- fail (printf "config.%s.apiKeyFile: without it, apiKeys or apiKeyHashes everybody who reaches the port may call; front.allowAnybody if that is meant" $front) -}}
{{- end -}}
{{- if and $tls.clientCaFile (eq $front (include "pointsman.part" $)) -}}
{{- fail (printf "config.%s.tls.clientCaFile: the kubelet has no certificate, it could not ask whether pods are ready" $front) -}}
{{- end -}}
{{- end -}}
{{- if not (include "pointsman.isPicker" .) -}}
{{- if ne .Values.gateway.kind "none" -}}{{- fail "gateway.kind: has a meaning in the mode ext-proc only" -}}{{- end -}}
{{- if .Values.disaggregated -}}{{- fail "disaggregated: has a meaning in the mode ext-proc only; the proxy goes by config.kubernetes.handovers" -}}{{- end -}}
{{- end -}}
{{- $shards := $config.shards | default dict -}}
{{- if and (gt (int64 ($shards.count | default 1)) 1) (eq "own" ($shards.listen | default "shared")) -}}
{{- fail "config.shards.listen: own leaves shards on ports that no Service leads to; expected shared" -}}
{{- end -}}
{{- $shutdown := $config.shutdown -}}
{{- $endMs := add (int64 $shutdown.readinessDelayMs) (int64 $shutdown.drainTimeoutMs) -}}
{{- if le (mul 1000 (int64 .Values.terminationGracePeriodSeconds)) $endMs -}}
{{- fail (printf "terminationGracePeriodSeconds: expected more than config.shutdown.readinessDelayMs and drainTimeoutMs together (%d ms)" $endMs) -}}
{{- end -}}
{{- end }}
