/** Changes that wait for users, on a real cluster: who may approve them, who may read them, and what is stored of them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Plan } from '../../lib/foundations/kinds/plan.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const files = (value: string, password: string) => ({
  'app/a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {value: "${value}"}\n`,
  'app/s.yaml': `apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: default}\nstringData: {password: ${password}}\n`,
  'hub/approval.yaml': `apiVersion: fleet.keelson.dev/v1alpha1
kind: Approval
metadata: {name: from-git, namespace: default}
spec: {subject: {kind: Plan, name: anything}, digest: "sha256:${'0'.repeat(64)}"}
`,
})

const units = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default, annotations: {fleet.keelson.dev/approval: Required}}
spec: {interval: 1h, prune: true, path: ./app, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}}
---
apiVersion: v1
kind: Namespace
metadata: {name: other}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: approvers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: keelson-approver}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: editors, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: edith}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: approvers, namespace: other}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: keelson-approver}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: tenant}]
---`

const secret = (name: string, password: string) => `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: default}
stringData: {password: ${password}}
---`

const set = (value: string) => `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata:
  name: set
  namespace: default
  annotations: {fleet.keelson.dev/approval: Required, resourceset.keelson.dev/kubeConfig: prod}
spec:
  resources:
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: of-set, namespace: default}
      data: {value: "${value}"}
    - apiVersion: v1
      kind: Secret
      metadata: {name: copy, namespace: default, annotations: {fluxcd.controlplane.io/copyFrom: default/source}}
`

test('a change waits for a user with the right to approve it; a tenant can neither approve nor read it; no secret is at rest', async () => {
  const [target, on, repo] = await Promise.all([cluster(), hub(), gitRepo(files('1', 'first-password'))])
  await on.apply(kubeconfigSecret('prod', target) + appRepository(repo) + units)
  const env = { PATH: process.env.PATH, KUBECONFIG: on.kubeconfig }
  const keelson = (user: string, ...args: string[]) =>
    ending(process.execPath, [program, ...args, '-n', 'default', '--as', user], { env })
  const waitingPlan = async (): Promise<Plan> => {
    let found: Plan | undefined
    await eventually(async () => {
      const { items } = await on.get<{ items: readonly Plan[] }>('plans', '-n', 'default')
      found = items.find(({ status }) => status?.phase === 'Waiting')
      assert.ok(found)
    })
    return found!
  }
  const live = (name: string) => target.kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.value}')

  const first = await waitingPlan()
  assert.deepEqual([first.spec.counts, first.spec.summary], [{ created: 2 }, '+2'])
  await assert.rejects(live('a'), /not found/)

  for (const user of ['edith', 'tenant', 'nobody']) {
    const refused = await keelson(user, 'approve', first.metadata.name)
    assert.equal(refused.exitCode, 1, user)
    assert.match(refused.stderr, /cannot|may not approve/, user)
  }
  const unseen = await keelson('tenant', 'plans', first.metadata.name)
  assert.match(unseen.stderr, /cannot get resource "plans"/)

  const approved = await keelson(
    'jane',
    'approve',
    first.metadata.name,
    '--comment',
    'the first one',
    '--digest',
    first.spec.digest,
  )
  assert.deepEqual([approved.exitCode, approved.stderr], [0, ''])
  await eventually(async () => assert.equal(await live('a'), '1'))

  await repo.push(files('2', 'second-password'))
  await on.kubectl(
    'annotate',
    'gitrepository/app',
    '--overwrite',
    `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
    '-n',
    'default',
  )
  const second = await waitingPlan()
  const shown = await keelson('jane', 'plans', second.metadata.name)
  assert.match(
    shown.stdout,
    /ConfigMap\/default\/a configured \(from app\/a\.yaml\)\n {4}data\.value: 1 -> 2 \(from app\/a\.yaml:4\)\n/,
  )
  assert.match(shown.stdout, /Secret\/default\/s configured .*\n {4}data\.password: \*\*\* -> \*\*\*/)
  const why = await ending(process.execPath, [program, 'why', 'kustomization/app', '-n', 'default'], { env })
  assert.match(why.stdout, /waits for an approval of plan/)

  const rejected = await keelson('jane', 'reject', second.metadata.name, '--comment', 'not today')
  assert.equal(rejected.exitCode, 0)
  await eventually(async () => {
    const { status } = await on.get<Plan>('plan', second.metadata.name, '-n', 'default')
    assert.deepEqual([status?.phase, status?.rejectedBy, status?.message], ['Rejected', 'jane', 'not today'])
  })
  assert.equal(await live('a'), '1')

  // Who has decided is the server's to say, and a decision stays as it was.
  const forged = join(on.dataDirectory, 'forged.yaml')
  writeFileSync(
    forged,
    `apiVersion: fleet.keelson.dev/v1alpha1
kind: Approval
metadata: {name: forged, namespace: default}
spec: {subject: {kind: Plan, name: ${second.metadata.name}}, digest: "${second.spec.digest}", approver: someone-else}
`,
  )
  await on.kubectl('create', '-f', forged, '--as', 'jane')
  assert.equal(
    await on.kubectl('get', 'approval', 'forged', '-n', 'default', '-o', 'jsonpath={.spec.approver}'),
    'jane',
  )
  await assert.rejects(
    on.kubectl(
      'patch',
      'approval',
      'forged',
      '-n',
      'default',
      '--type=merge',
      '-p',
      '{"spec":{"decision":"Rejected"}}',
    ),
    /a decision can not be changed/,
  )
  for (const verb of ['delete', 'patch'])
    await assert.rejects(
      on.kubectl(
        verb,
        'plan',
        second.metadata.name,
        '-n',
        'default',
        ...(verb === 'patch' ? ['--type=merge', '-p', '{"spec":{"digest":"x"}}'] : []),
      ),
      /not supported|MethodNotAllowed/,
    )

  // A source can't approve what it brings.
  await on.apply(`apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: hub, namespace: default}
spec: {interval: 1h, prune: true, path: ./hub, sourceRef: {kind: GitRepository, name: app}}
`)
  await eventually(async () =>
    assert.match(
      await on.kubectl('get', 'kustomization', 'hub', '-n', 'default', '-o', 'jsonpath={.status.conditions}'),
      /a source that is applied to the hub can not approve/,
    ),
  )

  // While a change of a ResourceSet waits, its objects are kept as they were approved.
  const requested = () =>
    on.kubectl(
      'annotate',
      'resourceset/set',
      '--overwrite',
      `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
      '-n',
      'default',
    )
  await on.apply(secret('source', 'copied-password') + set('1'))
  await keelson('jane', 'approve', (await waitingPlan()).metadata.name)
  await eventually(async () => assert.equal(await live('of-set'), '1'))
  await on.apply(set('2'))
  assert.equal((await waitingPlan()).spec.summary, '~1')
  await target.kubectl('patch', 'configmap', 'of-set', '--type=merge', '-p', '{"data":{"value":"by hand"}}')
  await target.kubectl('delete', 'secret', 'copy')
  await requested()
  await eventually(async () => {
    assert.equal(await live('of-set'), '1')
    const copy = await target.kubectl('get', 'secret', 'copy', '-o', 'jsonpath={.data.password}')
    assert.equal(Buffer.from(copy, 'base64').toString(), 'copied-password')
  })
  await requested()
  await eventually(async () => {
    const { spec, changes = [] } = await waitingPlan()
    const fields = changes.flatMap(({ fields = [] }) => fields.map(({ before, after }) => [before, after]))
    assert.deepEqual([spec.unit.name, fields], ['set', [['1', '2']]])
  })
  assert.equal(await live('of-set'), '1')
  await keelson('jane', 'approve', (await waitingPlan()).metadata.name)
  await eventually(async () => assert.equal(await live('of-set'), '2'))

  await on.stop()
  for (const value of ['first-password', 'second-password', 'copied-password'])
    for (const form of [value, Buffer.from(value).toString('base64')])
      for (const file of readdirSync(on.dataDirectory, { recursive: true, withFileTypes: true }).filter(entry =>
        entry.isFile(),
      ))
        if (!/\.tar\.gz$/.test(file.name))
          assert.ok(!readFileSync(join(file.parentPath, file.name)).includes(form), `${form} in ${file.name}`)
})

const chart = (value: string) => ({
  'chart/templates/a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-release, namespace: default}\ndata: {value: "${value}"}\n`,
  'chart/Chart.yaml': `apiVersion: v2\nname: app\nversion: 1.0.${value}\n`,
})

test('a HelmRelease waits as well: an upgrade is planned by a preview, and made once it is approved', async () => {
  const [target, on, repo] = await Promise.all([cluster(), hub(), gitRepo(chart('1'))])
  await on.apply(`${kubeconfigSecret('prod', target)}${appRepository(repo)}
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  kubeConfig: {secretRef: {name: prod}}
  chart: {spec: {chart: ./chart, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: app}}}
`)
  const live = () => target.kubectl('get', 'configmap', 'of-release', '-o', 'jsonpath={.data.value}')
  await eventually(async () => assert.equal(await live(), '1'))
  await on.kubectl('annotate', 'namespace', 'default', 'fleet.keelson.dev/approval=Required')
  await repo.push(chart('2'))
  await on.kubectl('annotate', 'gitrepository/app', `reconcile.fluxcd.io/requestedAt=${Date.now()}`, '-n', 'default')
  let plan: Plan | undefined
  await eventually(async () => {
    const { items } = await on.get<{ items: readonly Plan[] }>('plans', '-n', 'default')
    plan = items.find(({ status }) => status?.phase === 'Waiting')
    assert.ok(plan)
  })
  const { metadata, spec, changes = [] } = plan!
  assert.deepEqual([spec.unit.kind, spec.revision?.split('+')[0], spec.summary], ['HelmRelease', 'app@1.0.2', '~1'])
  assert.deepEqual(
    changes.flatMap(({ fields = [] }) => fields.map(({ path, before, after }) => [path, before, after])),
    [['data.value', '1', '2']],
  )
  assert.equal(await live(), '1')
  const env = { PATH: process.env.PATH, KUBECONFIG: on.kubeconfig }
  const approved = await ending(process.execPath, [program, 'approve', metadata.name, '-n', 'default'], { env })
  assert.deepEqual([approved.exitCode, approved.stderr], [0, ''])
  await eventually(async () => assert.equal(await live(), '2'))
  await eventually(async () =>
    assert.equal((await on.get<Plan>('plan', metadata.name, '-n', 'default')).status?.phase, 'Applied'),
  )
})
