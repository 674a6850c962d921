/** Drift that is only reported, on a real cluster: what differs, who has changed it and when; and what was corrected. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { Condition } from '../../lib/foundations/kinds/object.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { cluster } from '../bed/cluster.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const config = (color: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: default}
data: {color: ${color}, size: large}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: default}
stringData: {password: planted-password}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: 'nginx:1'}]}}
`

const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default, annotations: {kustomize.keelson.dev/drift: report}}
spec:
  interval: 1s
  prune: true
  path: ./
  sourceRef: {kind: GitRepository, name: app}
  kubeConfig: {secretRef: {name: prod}}
---`

test('drift is reported with its fields, managers and times, and left alone, until there is something new to apply', async () => {
  const [target, repo, on] = await Promise.all([cluster(), gitRepo({ 'all.yaml': config('blue') }), hub()])
  const read = () => on.get<Kustomization>('kustomization', 'app')
  const condition = async (type: string): Promise<Condition | undefined> =>
    (await read()).status?.conditions?.find(one => one.type === type)
  const runs = async () => (await on.get<{ items: readonly Run[] }>('runs')).items
  const keelson = (...args: readonly string[]): Promise<Ending> =>
    ending(process.execPath, [program, ...args, '-n', 'default', '--kubeconfig', on.kubeconfig])
  const colorOf = async (): Promise<string | undefined> =>
    (await target.get<{ data: Record<string, string> }>('configmap', 'config')).data.color
  const imageOf = () =>
    target.kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')

  await on.apply(kubeconfigSecret('prod', target) + appRepository(repo) + unit)
  await eventually(async () => assert.equal((await condition('Ready'))?.status, 'True'))
  assert.equal((await keelson('drift')).stdout, 'Nothing has drifted.\n')

  const patch = (object: string, body: string) =>
    target.kubectl('patch', object, '--type=merge', '--field-manager=incident-bot', '-p', body)
  await patch('configmap/config', '{"data":{"color":"red"}}')
  await patch('secret/login', '{"stringData":{"password":"changed-password"}}')
  await target.kubectl('set', 'image', 'deployment/web', 'web=nginx:2', '--field-manager=incident-bot')
  const drifted = await eventually(async () => {
    const found = await condition('Drifted')
    for (const part of ['ConfigMap/default/config', 'Secret/default/login', 'Deployment/default/web'])
      assert.ok(found?.message.includes(part), found?.message)
    return found!
  })
  assert.deepEqual([drifted.status, drifted.reason], ['True', 'DriftDetected'])
  assert.match(drifted.message, /^3 objects differ from what was applied, which is only reported:\n/)
  assert.match(drifted.message, /ConfigMap\/default\/config has other data\.color \(incident-bot, \d{4}-\S+Z\)/)
  assert.match(
    drifted.message,
    /Deployment\/default\/web has other spec\.template\.spec\.containers\[name=web\]\.image \(incident-bot, /,
  )
  assert.equal((await condition('Ready'))?.status, 'True')
  assert.deepEqual([await colorOf(), await imageOf()], ['red', 'nginx:2'])

  // It is on record once for all intervals that find the same.
  const [found] = (await runs()).filter(({ result }) => result === 'Drifted')
  assert.equal(found?.cause.type, 'Drift')
  const fields = (await runs()).filter(({ result }) => result === 'Drifted').flatMap(({ changes = [] }) => changes)
  const ofConfig = fields.find(({ name }) => name === 'config')
  const [{ changedAt, ...color } = { changedAt: undefined }] = ofConfig?.fields ?? []
  assert.deepEqual(color, { path: 'data.color', before: 'red', after: 'blue', manager: 'incident-bot' })
  assert.match(changedAt ?? '', /^\d{4}-/)
  const count = (await runs()).length
  const { resourceVersion } = (await read()).metadata
  const from = Date.now()
  await eventually(async () => assert.ok(Date.now() - from > 4_000, 'four intervals pass'))
  assert.deepEqual([(await runs()).length, (await read()).metadata.resourceVersion], [count, resourceVersion])
  const events = await on.kubectl(
    'get',
    'events',
    '-o',
    'jsonpath={range .items[?(@.reason=="DriftDetected")]}{.message}{end}',
  )
  assert.match(events, /data\.color/)
  const metrics = await on.kubectl('get', '--raw', '/metrics')
  assert.match(metrics, /^keelson_drifted\{kind="Kustomization",name="app",namespace="default"\} 1$/m)

  const shown = await keelson('drift')
  assert.equal(shown.exitCode, 1)
  assert.match(shown.stdout, /^Kustomization\/default\/app +Secret\/default\/prod +\S+ +3 /m)
  assert.match(shown.stdout, /data\.color: red -> blue \(incident-bot, /)
  assert.match(
    (await keelson('fleet')).stdout,
    /^warning +1 +\S+ +Kustomization\/default\/app +DriftDetected: 3 objects differ/m,
  )
  const everything = JSON.stringify([
    await runs(),
    await read(),
    events,
    shown,
    (await keelson('drift', '-o', 'json')).stdout,
  ])
  assert.equal(
    /planted-password|changed-password|cGxhbnRlZC1wYXNzd29yZA|Y2hhbmdlZC1wYXNzd29yZA/.test(everything),
    false,
  )

  // A person's request reports again, and corrects nothing; a new revision is applied in full.
  await on.kubectl('annotate', 'kustomization/app', `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`)
  await eventually(async () => assert.equal((await runs())[0]?.cause.type, 'Request'))
  assert.deepEqual([(await runs())[0]?.result, await colorOf()], ['Drifted', 'red'])
  await repo.push({ 'all.yaml': config('green') })
  await on.kubectl('annotate', 'gitrepository/app', `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`)
  await eventually(async () => assert.deepEqual([await colorOf(), await imageOf()], ['green', 'nginx:1']))
  await eventually(async () => assert.equal(await condition('Drifted'), undefined))

  // Without the annotation it is corrected, and the Run says what, and who had changed it.
  await on.kubectl('annotate', 'kustomization/app', 'kustomize.keelson.dev/drift-')
  await patch('configmap/config', '{"data":{"color":"red"}}')
  await eventually(async () => assert.equal(await colorOf(), 'green'))
  await eventually(async () => {
    const [corrected] = await runs()
    assert.deepEqual([corrected?.cause.type, corrected?.result], ['Drift', 'Succeeded'])
    const [field] = corrected?.changes?.[0]?.fields ?? []
    assert.deepEqual(
      [field?.path, field?.before, field?.after, field?.manager],
      ['data.color', 'red', 'green', 'incident-bot'],
    )
  })
})
