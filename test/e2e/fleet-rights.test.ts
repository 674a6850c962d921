/** `keelson fleet` under the rights of who calls it, and as it follows the hub. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import type { FleetSummary } from '../../lib/foundations/fleet/fleet-summary.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { ownerOf, unitFor } from '../bed/fleet-objects.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const on = await hub()

const fleet = (...args: readonly string[]): Promise<Ending> =>
  ending(process.execPath, [program, 'fleet', ...args, '--kubeconfig', on.kubeconfig])

const inNamespace = (objects: string, namespace: string): string =>
  objects.replaceAll('namespace: default', `namespace: ${namespace}`)

const tenant = (name: string): string => `
apiVersion: v1
kind: Namespace
metadata: {name: ${name}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: owner, namespace: ${name}}
---${ownerOf(name, 'owner')}${inNamespace(unitFor('https://127.0.0.1:9', `web-of-${name}`), name)}`

const as = (name: string): readonly string[] => ['--as', `system:serviceaccount:${name}:owner`]

test('two tenants see only their own; what they may not list is refused as by kubectl', async () => {
  await on.apply(tenant('red') + tenant('blue'))
  for (const [own, other] of [
    ['red', 'blue'],
    ['blue', 'red'],
  ] as const) {
    const { stdout } = await fleet('-n', own, '-o', 'json', ...as(own))
    const summary: FleetSummary = JSON.parse(stdout)
    assert.deepEqual(
      summary.rows.map(({ cluster }) => cluster),
      [`Secret/${own}/web-of-${own}`],
    )
    assert.equal(summary.units.total, 1)
    assert.equal(stdout.includes(other), false, stdout)
    for (const scope of [['-n', other], ['-A']]) {
      const refused = await fleet(...scope, ...as(own))
      assert.equal(refused.exitCode, 2)
      assert.equal(refused.stdout, 'No clusters and no units found.\n')
      const said = await on.kubectl('get', 'kustomizations', ...scope, ...as(own)).then(
        () => assert.fail('kubectl was allowed'),
        (error: Error) => error.message,
      )
      const line = /Error from server \(Forbidden\): kustomizations\..*/.exec(said)?.[0]
      assert.ok(line && refused.stderr.split('\n').includes(line), `${line}\n${refused.stderr}`)
    }
  }
})

test('of several kinds, those that may be listed are shown', async () => {
  await on.apply(`${tenant('green')}
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: green}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: green}
rules: [{apiGroups: [kustomize.toolkit.fluxcd.io], resources: [kustomizations], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: green}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: reader, namespace: green}]
`)
  const { exitCode, stdout, stderr } = await fleet('-n', 'green', '--as', 'system:serviceaccount:green:reader')
  assert.match(stdout, /^Secret\/green\/web-of-green +1 /m)
  assert.match(stderr, /^Error from server \(Forbidden\): helmreleases\./m)
  assert.equal(exitCode, 2)
})

test('a hub that cannot be reached ends with 2', async () => {
  const { exitCode, stderr } = await ending(process.execPath, [program, 'fleet', '--kubeconfig', '/nowhere'])
  assert.deepEqual(
    [exitCode, stderr],
    [2, "✗ cannot read the kubeconfig /nowhere: ENOENT: no such file or directory, open '/nowhere'\n"],
  )
})

test('--watch shows each change, of objects that come, change and go', async () => {
  await on.apply('apiVersion: v1\nkind: Namespace\nmetadata: {name: watched}\n')
  const child = spawn(process.execPath, [program, 'fleet', '-n', 'watched', '--watch', '--kubeconfig', on.kubeconfig])
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  try {
    await eventually(async () => assert.match(said, /No clusters and no units found/))
    await on.apply(inNamespace(unitFor('https://127.0.0.1:9', 'dark'), 'watched'))
    await eventually(async () => assert.match(said, /^Secret\/watched\/dark +1 /m))
    await on.kubectl(
      'patch',
      'kustomization',
      'dark',
      '-n',
      'watched',
      '--type=merge',
      '-p',
      '{"spec":{"suspend":true}}',
    )
    await eventually(async () => assert.match(said, /1 unit: 0 ready, 1 suspended/))
    await on.kubectl('delete', 'kustomization', 'dark', '-n', 'watched')
    await eventually(async () => assert.match(said.trimEnd(), /No clusters and no units found\.$/))
    // The hub goes and comes back: the watches begin again.
    await on.stop()
    await on.start()
    await on.apply(inNamespace(unitFor('https://127.0.0.1:9', 'again'), 'watched'))
    await eventually(async () => assert.match(said, /^Secret\/watched\/again +1 /m))
  } finally {
    child.kill('SIGINT')
    await once(child, 'exit')
  }
})
