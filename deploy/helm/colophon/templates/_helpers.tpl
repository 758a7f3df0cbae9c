{{- define "colophon.labels" -}}
app.kubernetes.io/name: colophon
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Argument: a list of the root context and the name of the role. */}}
{{- define "colophon.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: colophon
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "colophon.startArguments" -}}
{{- if eq . "background" -}}[start, relay, projector, sweeper]{{- else -}}[start, {{ . }}]{{- end -}}
{{- end }}
