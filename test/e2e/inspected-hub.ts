import { before } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

/**
 * A hub to inspect: its Kustomization `app` writes to a cluster, and `parent` makes `app`.
 */

export const files: Readonly<Record<string, string>> = {
  'app/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: default}
data: {color: "\${color}", size: large}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: default}
stringData: {password: hunter2}
`,
  'parent/kustomization.yaml': 'resources: [app.yaml]\npatches: [{target: {kind: Nobody, nme: x}, patch: "[]"}]\n',
  'app/old.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: old, namespace: default}\n',
  'parent/app.yaml': `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  prune: true
  path: app
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: target}}
  postBuild: {substitute: {color: blue}}
`,
}

export const kubeconfigOf = (server: string) => ({
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'it' },
  clusters: [{ name: 'it', cluster: { server } }],
  users: [{ name: 'it', user: { token: 'none' } }],
  contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
})

export const [target, source, control] = await Promise.all([cluster(), gitRepo(files), hub()])

before(async () => {
  await control.apply(`${kubeconfigSecret('target', target)}${fleetRepository(source)}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: parent, namespace: default}
spec:
  interval: 1h
  prune: true
  path: parent
  sourceRef: {kind: GitRepository, name: fleet}
`)
  await eventually(() =>
    control.kubectl('wait', 'kustomization/app', '--for=condition=Ready', '--timeout=1s', '-n', 'default'),
  )
})

export const keelson = (...args: string[]): Promise<Ending> =>
  ending(process.execPath, [program, ...args, '-n', 'default'], {
    env: { PATH: process.env.PATH, KUBECONFIG: control.kubeconfig },
  })
