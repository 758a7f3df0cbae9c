{{- define "colophon.labels" -}}
app.kubernetes.io/name: colophon
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Takes a list of the root and the role's name. */}}
{{- define "colophon.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: colophon
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "colophon.roleNames" -}}
{{- if eq . "keeper" -}}[start, relay, projector, sweeper]{{- else -}}[start, {{ . }}]{{- end -}}
{{- end }}
