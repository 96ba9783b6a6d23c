{{/* Each definition is on one line, so that it can be used at any indentation. */}}

{{- define "formtrail.meta" -}}
{ app.kubernetes.io/name: {{ .Release.Name }}, app.kubernetes.io/managed-by: {{ .Release.Service }}, app.kubernetes.io/version: {{ .Chart.AppVersion | printf "%q" }} }
{{- end }}

{{- define "formtrail.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ or .Values.image.tag .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "formtrail.podSecurity" -}}
{ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, seccompProfile: { type: RuntimeDefault } }
{{- end }}

{{- define "formtrail.containerSecurity" -}}
{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
{{- end }}
