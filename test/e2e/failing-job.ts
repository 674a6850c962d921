/** Of a Kustomization that waits for its objects: the test cluster lets it fail. */
export const failingJob = `apiVersion: batch/v1
kind: Job
metadata: {name: migrate, namespace: default}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {testcluster/hold: failed}}
    spec: {restartPolicy: Never, containers: [{name: migrate, image: example.com/migrate}]}
`
