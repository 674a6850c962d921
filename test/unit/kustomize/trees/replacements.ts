import { type Trees, tree } from './tree.ts'

const files = {
  'all.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: source
  labels: {app: web}
data:
  host: example.com:8080/path
  empty: ""
  list: a,b,c
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: app
        image: nginx:1.0
        env:
        - name: HOST
          value: none
      - name: side
        image: busybox
`,
}

/** A kustomization with one replacement, of `data.host` unless `source` names another. */
const replacement = (target: string, source = 'kind: ConfigMap, name: source, fieldPath: data.host') =>
  tree(`resources: [all.yaml]\nreplacements:\n- source: {${source}}\n  targets:\n  - ${target}\n`, files)

export const trees: Trees = {
  'a replacement goes to fields of lists by their keys, indexes and wildcards': [
    replacement('{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.0.image]}'),
    replacement('{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.*.image]}'),
    replacement(
      '{select: {kind: Deployment}, fieldPaths: ["spec.template.spec.containers.[name=app].env.[name=HOST].value"]}',
    ),
  ],
}
