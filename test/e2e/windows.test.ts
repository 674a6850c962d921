/** What waits for a time, on a real cluster, and who may have it go on. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Condition, KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { CommandFailed, command, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { type GitRepo, gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { kubectl } from '../bed/kubectl.ts'

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {value: "${value}"}\n`

const files = (value: string) => ({
  'app/a.yaml': configMap('of-kustomization', value),
  'chart/templates/a.yaml': configMap('of-release', value),
  'chart/Chart.yaml': `apiVersion: v2\nname: app\nversion: 1.0.${value}\n`,
})

const units = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, prune: true, path: ./app, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  kubeConfig: {secretRef: {name: prod}}
  chart: {spec: {chart: ./chart, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: app}}}
---`

const clusterOf = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: prod, namespace: default}
spec: {interval: 1h, kubeConfig: {secretRef: {name: prod}}}
---`

/** Two days from the last midnight on. */
const freeze = (): { readonly window: object; readonly until: string } => {
  const now = new Date()
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 2)
  return {
    window: { action: 'Deny', schedule: `0 0 ${now.getUTCDate()} ${now.getUTCMonth() + 1} *`, duration: '48h' },
    until: new Date(end).toISOString().replace('.000', ''),
  }
}

interface Scene {
  readonly on: Hub
  readonly target: Cluster
  readonly repo: GitRepo
}

/** A Kustomization and a HelmRelease of one repository, applied in their first version. */
const scene = async (): Promise<Scene> => {
  const [target, on, repo] = await Promise.all([cluster(), hub(), gitRepo(files('1'))])
  await on.apply(kubeconfigSecret('prod', target) + clusterOf + appRepository(repo) + units)
  await live({ on, target, repo }, '1')
  return { on, target, repo }
}

/** Waits until the cluster has both objects in this version. */
const live = ({ target }: Scene, value: string): Promise<void> =>
  eventually(async () => {
    const values = ['of-kustomization', 'of-release'].map(name =>
      target.kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.value}'),
    )
    assert.deepEqual(await Promise.all(values), [value, value])
  })

const conditionOf = async ({ on }: Scene, kind: string, type: string): Promise<Condition | undefined> => {
  const { status } = await on.get<KubernetesObject & { status?: { conditions?: readonly Condition[] } }>(kind, 'app')
  return status?.conditions?.find(condition => condition.type === type)
}

const says = (at: Scene, kind: string, type: string, pattern: RegExp): Promise<void> =>
  eventually(async () => assert.match((await conditionOf(at, kind, type))?.message ?? '', pattern))

const push = async ({ on, repo }: Scene, value: string): Promise<void> => {
  await repo.push(files(value))
  await on.kubectl('annotate', '--overwrite', 'gitrepository/app', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
}

const change = ({ on }: Scene, spec: object): Promise<string> =>
  on.kubectl('patch', 'cluster', 'prod', '--type=merge', '-p', JSON.stringify({ spec }))

test('CL-007 a freeze of a Cluster holds a push back from all of its units, says until when, and its end lets it go at once', async () => {
  const at = await scene()
  const { window, until } = freeze()
  await change(at, { windows: [window] })
  await push(at, '2')
  await says(
    at,
    'kustomization',
    'Waiting',
    new RegExp(`^revision main@sha1:[0-9a-f]+ waits until ${until}: in the Deny window .* of Cluster default/prod$`),
  )
  await says(
    at,
    'helmrelease',
    'Waiting',
    new RegExp(`^upgrade with chart app@1\\.0\\.2\\S* waits until ${until}: in the Deny window`),
  )
  for (const kind of ['kustomization', 'helmrelease'])
    assert.equal((await conditionOf(at, kind, 'Ready'))?.status, 'True', `${kind} is ready with what it has`)
  await live(at, '1')

  const keelson = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await ending(process.execPath, [program, ...args, '--kubeconfig', at.on.kubeconfig])
    assert.equal(stderr, '')
    return stdout
  }
  const why = await keelson('why', 'kustomization/app', '-n', 'default')
  assert.match(why, new RegExp(`waits +revision .* waits until ${until}`))
  assert.match(why, /next +it continues by itself then; before that, with the right to override: kubectl annotate/)
  const clusters = await keelson('clusters', '-o', 'wide', '-n', 'default')
  assert.match(clusters, new RegExp(`Changes until ${until}, Deletions until ${until}`))

  await change(at, { windows: null })
  await live(at, '2')
  await eventually(async () => assert.equal(await conditionOf(at, 'kustomization', 'Waiting'), undefined))

  await change(at, { suspend: true })
  await push(at, '3')
  for (const kind of ['kustomization', 'helmrelease'])
    await says(at, kind, 'Waiting', /^everything waits: Cluster default\/prod is suspended$/)
  await live(at, '2')
  await change(at, { suspend: false })
  await live(at, '3')
})

test('a window that can never be understood is refused, with its field', async () => {
  const on = await hub()
  const wrong = (window: string): Promise<string> =>
    on.apply(clusterOf.replace('interval: 1h', `interval: 1h, windows: [${window}]`)).then(
      () => 'accepted',
      error => (error instanceof CommandFailed ? error.stderr : Promise.reject(error)),
    )
  assert.match(
    await wrong('{action: Stop, schedule: "@daily", duration: 1h}'),
    /spec\.windows\[0\]\.action: Unsupported value: "Stop"/,
  )
  assert.match(
    await wrong('{action: Deny, schedule: "0 25 * * *", duration: 1h}'),
    /spec\.windows\[0\]\.schedule: Invalid value: "0 25 \* \* \*": end of range \(25\) above maximum \(23\)/,
  )
  assert.match(
    await wrong('{action: Deny, schedule: "@daily", duration: 1h, timeZone: Mars/Olympus}'),
    /spec\.windows\[0\]\.timeZone: Invalid value: "Mars\/Olympus": unknown time zone/,
  )
  assert.match(
    await wrong('{action: Deny, schedule: "0 0 31 2 *", duration: 1h}'),
    /spec\.windows\[0\]\.schedule: .*never begins/,
  )
})

test('CL-007 who has the verb override has a freeze go on for one unit, and is on record; others have not', async () => {
  const at = await scene()
  await change(at, { windows: [freeze().window] })
  await push(at, '2')
  await says(at, 'kustomization', 'Waiting', /waits until/)
  const as = async (name: string) => {
    const config = await command(process.execPath, [program, 'user', name, '--data', at.on.dataDirectory])
    const path = join(at.on.dataDirectory, `${name}.kubeconfig`)
    writeFileSync(path, config, { mode: 0o600 })
    return (...args: string[]) => kubectl(path, args)
  }
  await at.on.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: dev, namespace: default}
rules: [{apiGroups: [kustomize.toolkit.fluxcd.io], resources: [kustomizations], verbs: [get, list, patch, update]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: incident, namespace: default}
rules: [{apiGroups: [kustomize.toolkit.fluxcd.io], resources: [kustomizations], verbs: [get, list, patch, override]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: dev, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: dev}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: incident, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: incident}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: omar}]
`)
  const [jane, omar] = [await as('jane'), await as('omar')]
  const until = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z/, 'Z')
  const override = (user: typeof jane, value: string) =>
    user('annotate', '--overwrite', 'kustomization', 'app', `keelson.dev/override-window=${value}`).then(
      () => 'accepted',
      error => (error instanceof CommandFailed ? error.stderr : Promise.reject(error)),
    )
  assert.match(
    await override(jane, `${until} it is only small`),
    /user "jane" may not override kustomizations\.kustomize\.toolkit\.fluxcd\.io in the namespace "default"/,
  )
  assert.match(await override(omar, 'because I can'), /must be a time in RFC 3339 and a reason/)
  assert.match(await override(omar, until), /must be a time in RFC 3339 and a reason/)
  assert.equal(await conditionOf(at, 'kustomization', 'WindowOverridden'), undefined)

  assert.equal(await override(omar, `${until} the fix of the outage`), 'accepted')
  await says(
    at,
    'kustomization',
    'WindowOverridden',
    new RegExp(`^omar overrides the windows until ${until}: the fix of the outage$`),
  )
  await eventually(async () =>
    assert.equal(await at.target.kubectl('get', 'configmap', 'of-kustomization', '-o', 'jsonpath={.data.value}'), '2'),
  )
  assert.equal(await at.target.kubectl('get', 'configmap', 'of-release', '-o', 'jsonpath={.data.value}'), '1')
  const events = await at.on.kubectl(
    'get',
    'events',
    '--field-selector',
    'reason=WindowOverridden',
    '-o',
    'jsonpath={.items[*].message}',
  )
  assert.match(events, /omar overrides the windows until/)

  // Nobody can have it look like somebody else's.
  await jane('annotate', '--overwrite', 'kustomization', 'app', 'keelson.dev/overridden-by=jane')
  const by = await at.on.kubectl(
    'get',
    'kustomization',
    'app',
    '-o',
    'jsonpath={.metadata.annotations.keelson\\.dev/overridden-by}',
  )
  assert.equal(by, 'omar')
})
