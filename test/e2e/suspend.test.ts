/** `keelson suspend` and `resume`, by label: who did it and why is written on each object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const unit = (name: string, team: string): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default, labels: {team: ${team}}}
spec: {interval: 1h, prune: true, sourceRef: {kind: GitRepository, name: app}}
---`

const set = (team: string): string => `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: set, namespace: default, labels: {team: ${team}}}
spec: {resources: []}
---`

test('objects with a label are suspended with a reason, and resumed', async () => {
  const on = await hub()
  await on.apply(unit('web', 'shop') + unit('db', 'shop') + unit('other', 'bank') + set('shop'))
  const keelson = (...args: readonly string[]): Promise<Ending> =>
    ending(process.execPath, [program, ...args, '-n', 'default', '--kubeconfig', on.kubeconfig])
  const read = async (kind: string, name: string) => {
    const { metadata, spec } = await on.get<KubernetesObject & { spec: { suspend?: boolean } }>(kind, name)
    const { annotations = {} } = metadata
    return [
      spec.suspend ?? annotations['fluxcd.controlplane.io/reconcile'],
      annotations['keelson.dev/suspended-by'],
      annotations['keelson.dev/suspended-for'],
    ]
  }

  const vague = await keelson('suspend', '--reason', 'x')
  assert.deepEqual([vague.exitCode, vague.stdout], [1, ''])
  const trial = await keelson('suspend', '-l', 'team=shop', '--reason', 'migration', '--dry-run')
  assert.equal(trial.stdout.split('\n').filter(line => line.endsWith('would be suspended')).length, 3)
  assert.deepEqual(await read('kustomization', 'web'), [undefined, undefined, undefined])

  const done = await keelson('suspend', '-l', 'team=shop', '--reason', 'migration')
  assert.deepEqual([done.exitCode, done.stdout.split('\n').filter(line => line.endsWith(' suspended')).length], [0, 3])
  const by = 'kubernetes-admin'
  assert.deepEqual(await read('kustomization', 'web'), [true, by, 'migration'])
  assert.deepEqual(await read('kustomization', 'db'), [true, by, 'migration'])
  assert.deepEqual(await read('resourceset', 'set'), ['disabled', by, 'migration'])
  assert.deepEqual(await read('kustomization', 'other'), [undefined, undefined, undefined])
  const why = await keelson('why', 'kustomization/web')
  assert.match(why.stdout, /suspended by kubernetes-admin: migration/)
  await eventually(async () => assert.match((await keelson('fleet')).stdout, /4 units: 0 ready, 1 failed, 3 suspended/))

  const listed = await keelson('resume', '-l', 'team=shop', '--dry-run', '-o', 'json')
  const named = { kind: 'Kustomization', namespace: 'default', suspendedBy: by, reason: 'migration' }
  assert.deepEqual(
    JSON.parse(listed.stdout).filter(({ kind }: { kind: string }) => kind === named.kind),
    ['db', 'web'].map(name => ({ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', ...named, name })),
  )

  // flux resumes without knowing of the reason.
  await on.kubectl('patch', 'kustomization/db', '--type=merge', '-p', '{"spec":{"suspend":false}}')
  assert.deepEqual(await read('kustomization', 'db'), [false, undefined, undefined])
  const resumed = await keelson('resume', '--selector', 'team=shop', '-o', 'wide')
  assert.deepEqual(
    [resumed.exitCode, resumed.stdout.match(/ resumed \(suspended by kubernetes-admin: migration\)$/gm)?.length],
    [0, 2],
  )
  assert.deepEqual(await read('kustomization', 'web'), [false, undefined, undefined])
  assert.deepEqual(await read('resourceset', 'set'), [undefined, undefined, undefined])
  assert.match((await keelson('resume', 'kustomization', '--all')).stdout, /^nothing to do/)
  assert.equal((await keelson('resume', 'kustomization', '--all', '-o', 'json')).stdout, '[]\n')
  const missing = await keelson('suspend', 'kustomization/nobody', '--reason', 'x')
  assert.deepEqual([missing.exitCode, missing.stderr], [1, '✗ Kustomization/default/nobody not found\n'])
})
